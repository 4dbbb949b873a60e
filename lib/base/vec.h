/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A growable array of any element type:
 *
 *	struct move_vec VEC_BODY(struct move);
 *	struct move_vec moves = { 0 };
 *	if (vec_push(&moves, &m) < 0) ...
 *	for (size_t i = 0; i < moves.nr; i++) use(&moves.v[i]);
 *	vec_free(&moves);
 *
 * The macros name the vector more than once: no side effects there. The
 * element that is pushed must not lie in the vector itself, which may move.
 */
#ifndef F2CORE_BASE_VEC_H
#define F2CORE_BASE_VEC_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define VEC_BODY(type) { type *v; size_t nr; size_t room; }

/*
 * Make room for @want elements of @size bytes; 0 or -ENOMEM, the old content
 * kept. @vp is the address of the vector's pointer, whatever its type: it is
 * copied as bytes, since no other type may alias it.
 */
static inline int vec_grow(void *vp, size_t *room, size_t want, size_t size)
{
	size_t n = *room ? *room : 16;
	void *p;

	if (want <= *room)
		return 0;
	while (n < want) {
		if (n > (size_t)-1 / 2)
			return -ENOMEM;
		n *= 2;
	}
	if (n > (size_t)-1 / 2 / size)
		return -ENOMEM;
	memcpy(&p, vp, sizeof(p));
	p = realloc(p, n * size);
	if (!p)
		return -ENOMEM;
	memcpy(vp, &p, sizeof(p));
	*room = n;
	return 0;
}

/* Room for @want elements in all; 0 or -ENOMEM. */
#define vec_reserve(vec, want) \
	vec_grow(&(vec)->v, &(vec)->room, (want), sizeof(*(vec)->v))

/* Append a copy of *@elem; 0 or -ENOMEM. */
#define vec_push(vec, elem) \
	(vec_reserve(vec, (vec)->nr + 1) ? -ENOMEM : \
	 ((vec)->v[(vec)->nr++] = *(elem), 0))

/* qsort() must not be given NULL, not even with nothing to sort. */
#define vec_sort(vec, compare) \
	((vec)->nr ? qsort((vec)->v, (vec)->nr, sizeof(*(vec)->v), (compare)) \
		   : (void)0)

#define vec_free(vec) \
	(free((vec)->v), (vec)->v = NULL, (vec)->nr = (vec)->room = 0)

#endif
