import { Icon } from '../../ui/icons/icon.tsx'
import styles from './play-mark.module.css'

/** Says on a picture that it is a video. */
export function PlayMark() {
  return (
    <span className={styles.mark}>
      <Icon name="play" size={24} />
    </span>
  )
}
