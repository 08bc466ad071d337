import { Icon } from '../../ui/icons/icon.tsx'
import { PetrelMark } from '../../ui/icons/petrel-mark.tsx'
import styles from './first-load.module.css'

export function FirstLoadScreen({ percent }: { percent: number }) {
  return (
    <div className={styles.screen}>
      <PetrelMark size={64} />
      <p className={styles.text}>Loading your chats [{percent}%]</p>
      <div
        className={styles.track}
        role="progressbar"
        aria-label="Loading your chats"
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <div className={styles.bar} style={{ transform: `scaleX(${percent / 100})` }} />
      </div>
      <p className={styles.note}>
        <Icon name="lock" size={14} /> End-to-end encrypted
      </p>
    </div>
  )
}
