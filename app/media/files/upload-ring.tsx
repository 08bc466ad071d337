import styles from './upload-ring.module.css'

/** An upload's progress. @param percent undefined if unknown: then the ring only shows activity */
export function UploadRing({ percent }: { percent: number | undefined }) {
  return (
    <span
      role="progressbar"
      aria-label="Upload"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className={styles.ring}
    >
      <svg
        viewBox="0 0 20 20"
        aria-hidden="true"
        className={percent === undefined ? styles.turning : styles.filling}
      >
        <circle className={styles.whole} cx="10" cy="10" r="8" />
        <circle
          className={styles.done}
          cx="10"
          cy="10"
          r="8"
          pathLength="100"
          strokeDasharray={`${percent ?? 25} 100`}
        />
      </svg>
    </span>
  )
}
