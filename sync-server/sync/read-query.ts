import type { Request } from 'express'
import { badRequest } from './couch-error.ts'

/** A request's parameters in CouchDB's way: from the query, then from a JSON body. */
export type Query = ReadonlyMap<string, unknown>

export function readQuery(request: Request): Query {
  const body: unknown = request.body
  const fromBody = body && typeof body === 'object' && !Array.isArray(body) ? body : {}
  return new Map<string, unknown>([...Object.entries(fromBody), ...Object.entries(request.query)])
}

export function readFlag(query: Query, name: string): boolean {
  const value = query.get(name)
  return value === true || value === 'true'
}

export function readText(query: Query, name: string): string | undefined {
  const value = query.get(name)
  return typeof value === 'string' ? value : undefined
}

/** Is this a revision as CouchDB writes it: its generation and its name? */
export function isRev(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,9}-[0-9A-Za-z]{1,64}$/.test(value)
}

/** A revision. @throws CouchError 400 */
export function readRev(query: Query, name: string): string | undefined {
  const value = query.get(name)
  if (value === undefined) return undefined
  if (isRev(value)) return value
  throw badRequest('Invalid rev format')
}

/** A whole number from 0, or undefined if absent. @throws CouchError 400 */
export function readCount(query: Query, name: string): number | undefined {
  const value = query.get(name)
  if (value === undefined) return undefined
  const count = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count
  throw badRequest(`${name} must be a number`)
}

/** A parameter that is JSON in the query, and plain in a body. @throws CouchError 400 */
export function readJson(query: Query, name: string): unknown {
  const value = query.get(name)
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    throw badRequest(`${name} must be JSON`)
  }
}

/** A JSON list of texts. @throws CouchError 400 */
export function readTexts(query: Query, name: string): string[] | undefined {
  const value = readJson(query, name)
  if (value === undefined) return undefined
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw badRequest(`${name} must be a list of texts`)
}
