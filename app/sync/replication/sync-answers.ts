import * as z from 'zod/mini'
import type { ServerDocument } from './server-versions.ts'

/** A place in the server's sequence. */
export type Seq = string | number

/** The answer of `_changes`. */
export interface Changes {
  results: { seq: Seq; doc: ServerDocument }[]
  last_seq: Seq
  /**
   * The maximum number of changes above this page; absent when there are none, and from an older
   * server.
   */
  pending?: number | undefined
}

/** The answer of `_bulk_docs` per document. */
export interface PushedRow {
  id: string
  ok?: boolean
  error?: string
  reason?: string
  code?: string
}

const seq = z.union([z.string(), z.number()])
const changes = z.object({
  results: z.array(z.object({ seq, doc: z.object({ _id: z.string() }) })),
  last_seq: seq,
  pending: z.optional(z.number()),
})
const text = z.optional(z.string())
const pushed = z.array(z.object({ id: z.string(), error: text, reason: text, code: text }))
const found = z.object({
  rows: z.array(z.object({ doc: z.optional(z.nullable(z.object({ _id: z.string() }))) })),
})

// Others answer 200 as well: a sign-in page, a proxy, another service. Ours is returned whole.

export function readChanges(body: unknown): Changes | undefined {
  return changes.safeParse(body).success ? (body as Changes) : undefined
}

export function readPushed(body: unknown): PushedRow[] | undefined {
  return pushed.safeParse(body).success ? (body as PushedRow[]) : undefined
}

/** The documents in an answer of `_all_docs`. */
export function readFound(body: unknown): ServerDocument[] | undefined {
  if (!found.safeParse(body).success) return undefined
  const { rows } = body as { rows: { doc?: ServerDocument | null }[] }
  return rows.flatMap(({ doc }) => doc ?? [])
}
