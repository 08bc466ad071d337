import * as z from 'zod/mini'
import { epochMs } from '../message.ts'

/** Of each mark so many are kept: of busy readers those of the last minutes, of others of weeks. */
const risesMax = 16

const minuteMs = 60_000

/**
 * When a mark rose, oldest first: `upTo` a place, `at` the server's time. Whatever lies at the first
 * one or below was reached at a time that nobody knows any more, and what was reached in secret has
 * an `at` of 0.
 */
export const markRises = z.array(z.object({ upTo: epochMs, at: epochMs }))
export type MarkRises = z.infer<typeof markRises>

/** After a rise to `upTo`, of a mark that stood at `before`. Those of one minute are one. */
export function noteRise(
  rises: MarkRises | undefined,
  rise: { before: number; upTo: number; at: number },
): MarkRises {
  const { before, upTo, at } = rise
  const known = rises ?? [{ upTo: before, at: 0 }]
  if (upTo <= before) return known
  const last = known.at(-1)
  const isSameMinute =
    known.length > 1 && last && Math.floor(last.at / minuteMs) === Math.floor(at / minuteMs)
  return trimRises([...(isSameMinute ? known.slice(0, -1) : known), { upTo, at }], risesMax)
}

/** The latest so many of them. */
export function trimRises(rises: MarkRises, most: number): MarkRises {
  return rises.slice(-(most + 1))
}

/** When the mark reached this place, epoch ms; undefined if it has not, or nobody knows. */
export function findRiseTime(rises: MarkRises | undefined, place: number): number | undefined {
  const at = rises?.findIndex(({ upTo }) => upTo >= place) ?? -1
  return at < 1 ? undefined : rises?.[at]?.at || undefined
}
