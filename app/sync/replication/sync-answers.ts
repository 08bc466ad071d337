import * as z from 'zod/mini'
import type { ServerDocument } from './server-versions.ts'

/** A place in the server's counting. */
export type Seq = string | number

/** What `_changes` says. */
export interface Changes {
  results: { seq: Seq; doc: ServerDocument }[]
  last_seq: Seq
  /** How many changes may lie above this page; absent where there are none, and from an older server. */
  pending?: number | undefined
}

/** What `_bulk_docs` says of each document. */
export interface PushedRow {
  id: string
  ok?: boolean
  error?: string
}

const seq = z.union([z.string(), z.number()])
const changes = z.object({
  results: z.array(z.object({ seq, doc: z.object({ _id: z.string() }) })),
  last_seq: seq,
  pending: z.optional(z.number()),
})
const pushed = z.array(z.object({ id: z.string() }))
const found = z.object({
  rows: z.array(z.object({ doc: z.optional(z.nullable(z.object({ _id: z.string() }))) })),
})

// Others answer 200 as well: a sign-in page, a proxy, another service. What is ours is given whole.

export function readChanges(body: unknown): Changes | undefined {
  return changes.safeParse(body).success ? (body as Changes) : undefined
}

export function readPushed(body: unknown): PushedRow[] | undefined {
  return pushed.safeParse(body).success ? (body as PushedRow[]) : undefined
}

/** The documents that `_all_docs` has. */
export function readFound(body: unknown): ServerDocument[] | undefined {
  if (!found.safeParse(body).success) return undefined
  const { rows } = body as { rows: { doc?: ServerDocument | null }[] }
  return rows.flatMap(({ doc }) => doc ?? [])
}
