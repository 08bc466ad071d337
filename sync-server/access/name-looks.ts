import unhomoglyph from 'unhomoglyph'

/**
 * Raised when the same name may look otherwise than before: with a newer table of Unicode's, or another rule here.
 * Every account then gets its claims anew at the next start.
 */
export const looksVersion = 1

/**
 * What a name looks like, as texts that two names have in common when one could be taken for the other: as it is
 * written and in small letters, because names are one whatever their case. One text or two.
 */
export function listLooks(name: string): string[] {
  return [...new Set([draw(name), draw(name.toLowerCase())])]
}

/** A big I looks like a small L, which a big L is too: so small letters come after the first skeleton. */
function draw(name: string): string {
  return drawSkeleton(drawSkeleton(name).toLowerCase())
}

/** Source: UTS #39, section 4. A dot that an i or j has anyway is not seen twice. */
function drawSkeleton(text: string): string {
  const seen = text.normalize('NFD').replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  return unhomoglyph(seen)
    .normalize('NFD')
    .replace(/([ij])\u0307/g, '$1')
}
