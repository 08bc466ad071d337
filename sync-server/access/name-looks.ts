import unhomoglyph from 'unhomoglyph'
import { normalizeText } from '../../schema/helpers/normalize-text.ts'

/**
 * Raise it when the look of a name may change: a newer Unicode table or a new rule. The next start
 * then recomputes every account's claims.
 */
export const looksVersion = 1

/**
 * The looks of a name: one or two texts. Two names that can be confused share one. Built from the
 * name as written and in lower case, because names ignore case.
 */
export function listLooks(name: string): string[] {
  return [...new Set([draw(name), draw(name.toLowerCase())])]
}

/** Folds case after the first skeleton, because I looks like l, and L is l in lower case. */
function draw(name: string): string {
  return drawSkeleton(drawSkeleton(name).toLowerCase())
}

/** Source: UTS #39, section 4. Ignores a combining dot over i or j, which nobody can see. */
function drawSkeleton(text: string): string {
  const seen = normalizeText(text, 'NFD').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return normalizeText(unhomoglyph(seen), 'NFD').replace(/([ij])\u0307/g, '$1')
}
