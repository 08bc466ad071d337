import { formatBytes } from '../../ui/format/format-bytes.ts'
import type { FileView } from '../loading/use-file.ts'

/** The label of the button that loads a file. @param size in bytes, if known */
export function describeWish(view: FileView, size: number | undefined): string {
  if (view.kind === 'loading') return 'Loading…'
  if (view.kind === 'away' && view.problem) return view.problem
  return size === undefined ? 'Load' : formatBytes(size)
}
