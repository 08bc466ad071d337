import type { ArchiveProgress } from '../../sync/archive/archive-format.ts'
import styles from './account.module.css'
import { describeProgress } from './describe-progress.ts'

/** A bar with numbers; without numbers while there are none yet. */
export function ArchiveProgressBar({ progress }: { progress: ArchiveProgress | undefined }) {
  const words = describeProgress(progress)
  const { done = 0, total = 0 } = progress ?? {}
  return (
    <div className={styles.progress}>
      <progress aria-label={words} {...(total > 0 && { value: done, max: total })} />
      <span>{words}</span>
    </div>
  )
}
