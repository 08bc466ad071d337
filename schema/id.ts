import * as z from 'zod/mini'

/**
 * The id of a message or a person: a lower-case UUID (version 7 from our own devices and server).
 * Only one form, so that an id is the same string in every copy (P2), path and database name.
 */
export const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const id = z.string().check(z.regex(idPattern, 'This is not a valid id.'))
