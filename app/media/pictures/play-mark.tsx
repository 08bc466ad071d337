import { Icon } from '../../ui/icons/icon.tsx'
import styles from './play-mark.module.css'

/** Marks a picture as a video. */
export function PlayMark() {
  return (
    <span className={styles.mark}>
      <Icon name="play" size={24} />
    </span>
  )
}
