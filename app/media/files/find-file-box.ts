import type { AttachedFile } from '../../../schema/attached-file.ts'

/** In rem: larger files are drawn smaller, and tiny ones keep room for a finger. */
const [widest, highest, least] = [20, 22, 6]

type Sizes = Pick<AttachedFile, 'width' | 'height'>

/**
 * The styles that reserve a picture's or video's space in its bubble before the file loads.
 * `unknown`: the proportions for a file without a known size.
 */
export function findFileBox(file: Sizes | undefined, unknown: Required<Sizes>) {
  const { width = unknown.width, height = unknown.height } = file ?? {}
  const scale = Math.min(widest / width, highest / height)
  const [wide, high] = [Math.max(least, width * scale), Math.max(least, height * scale)]
  return { width: `${wide}rem`, aspectRatio: `${wide} / ${high}` }
}
