/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded into older user-mode kernels (6.1, 6.12) by uml-run. They hand the
 * FPU state of a process back to the host in a buffer of fixed size, which a
 * host refuses with EFAULT when its own state is larger (AMX: 11 KiB). Here the
 * state is padded with zeros to the host's size: what is missing are features
 * that the guest cannot know, and their bits in the header are not set.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static unsigned char full[65536] __attribute__((aligned(64)));
static size_t host_size;

/* The host's size is not known until it has refused the guest's. */
static long set_padded(long pid, const struct iovec *given)
{
	struct iovec io = { full, sizeof(full) };

	if (!host_size) {
		if (syscall(SYS_ptrace, PTRACE_GETREGSET, pid, NT_X86_XSTATE, &io))
			return -1;
		host_size = io.iov_len;
		memset(full, 0, sizeof(full));
	}
	memcpy(full, given->iov_base, given->iov_len < host_size ?
	       given->iov_len : host_size);
	io = (struct iovec){ full, host_size };
	return syscall(SYS_ptrace, PTRACE_SETREGSET, pid, NT_X86_XSTATE, &io);
}

long ptrace(enum __ptrace_request request, ...)
{
	long pid, addr, data, peeked, ret;
	va_list ap;

	va_start(ap, request);
	pid = va_arg(ap, int);
	addr = va_arg(ap, long);
	data = va_arg(ap, long);
	va_end(ap);
	if (request == PTRACE_PEEKTEXT || request == PTRACE_PEEKDATA ||
	    request == PTRACE_PEEKUSER) {
		ret = syscall(SYS_ptrace, request, pid, addr, &peeked);
		return ret ? ret : peeked;
	}
	if (request == PTRACE_SETREGSET && addr == NT_X86_XSTATE && host_size)
		return set_padded(pid, (struct iovec *)data);
	ret = syscall(SYS_ptrace, request, pid, addr, data);
	if (ret && request == PTRACE_SETREGSET && addr == NT_X86_XSTATE)
		return set_padded(pid, (struct iovec *)data);
	return ret;
}
