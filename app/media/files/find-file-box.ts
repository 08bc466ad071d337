import type { AttachedFile } from '../../../schema/attached-file.ts'

/** In rem: what is higher or wider is drawn smaller, and what is tiny keeps room for a finger. */
const [widest, highest, least] = [20, 22, 6]

type Sizes = Pick<AttachedFile, 'width' | 'height'>

/**
 * The place of a picture or video in its bubble, as styles: it is there before the file is. `unknown`: the proportions
 * where nobody said the size.
 */
export function findFileBox(file: Sizes | undefined, unknown: Required<Sizes>) {
  const { width = unknown.width, height = unknown.height } = file ?? {}
  const scale = Math.min(widest / width, highest / height)
  const [wide, high] = [Math.max(least, width * scale), Math.max(least, height * scale)]
  return { width: `${wide}rem`, aspectRatio: `${wide} / ${high}` }
}
