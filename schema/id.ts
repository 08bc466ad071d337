import * as z from 'zod/mini'

/**
 * The id of a message or a person: a UUID in lower case (version 7 from our own devices and server).
 * One form only, so that an id is the same string in every copy (P2), in a path and in a database name.
 */
export const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const id = z.string().check(z.regex(idPattern, 'This is not a valid id.'))
