import { formatBytes } from '../../ui/format/format-bytes.ts'
import type { FileView } from '../loading/use-file.ts'

/** What the button of a file says that is not here yet. @param size in bytes, where it is known */
export function describeWish(view: FileView, size: number | undefined): string {
  if (view.kind === 'loading') return 'Loading…'
  if (view.kind === 'away' && view.problem) return view.problem
  return size === undefined ? 'Load' : formatBytes(size)
}
