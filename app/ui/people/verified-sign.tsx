import { type LiveSource, useLiveValue } from '../hooks/use-live-value.ts'
import { Icon } from '../icons/icon.tsx'
import styles from './verified-sign.module.css'

interface VerifiedSignProps {
  trust: LiveSource<{ isVerified: boolean }>
}

/** Beside the name of a person whose security code the reader has compared. */
export function VerifiedSign({ trust }: VerifiedSignProps) {
  const { isVerified } = useLiveValue(trust)
  if (!isVerified) return null
  return (
    <span className={styles.sign} role="img" aria-label="Verified" data-tooltip="Verified">
      <Icon name="verified" size={18} />
    </span>
  )
}
