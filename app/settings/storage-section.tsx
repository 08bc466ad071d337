import { useCallback, useEffect, useState } from 'react'
import type { Usage } from '../../schema/api/usage.ts'
import { Button } from '../ui/buttons/button.tsx'
import { formatBytes } from '../ui/format/format-bytes.ts'
import { FactList } from './fact-list.tsx'
import { MediaStorage, type MediaStorageProps } from './media-storage.tsx'
import { RadioChoice, type RadioChoiceProps } from './radio-choice.tsx'
import styles from './settings.module.css'

interface StorageState {
  usedBytes: number | undefined
  freeBytes: number | undefined
  isPersisted: boolean
}

export interface StorageSectionProps extends Pick<MediaStorageProps, 'messenger'> {
  readUsage(): Promise<Usage>
  /** When media download automatically, and how much of them stays. */
  loading: readonly RadioChoiceProps[]
}

/**
 * Shows the server's and this device's storage use, and whether the browser may clear the latter
 * when the disk is full.
 */
export function StorageSection({ readUsage, messenger, loading }: StorageSectionProps) {
  const [state, setState] = useState<StorageState>()
  const [usage, setUsage] = useState<Usage>()
  const read = useCallback(() => void readStorage().then(setState), [])
  useEffect(read, [read])
  useEffect(() => {
    // Offline the server's figure stays unknown; the device's own figures still show.
    readUsage().then(setUsage, () => undefined)
  }, [readUsage])
  if (!state) return <p role="status">Loading...</p>
  const { usedBytes, freeBytes, isPersisted } = state
  return (
    <div className={styles.stack}>
      <FactList
        facts={[
          ...(usage ? [{ name: 'Used on the server', about: describeUsage(usage) }] : []),
          { name: 'Used on this device', about: formatBytes(usedBytes) },
          { name: 'Available space', about: formatBytes(freeBytes) },
          {
            name: 'Protected',
            about: isPersisted
              ? "Yes. The browser won't delete your chats to free up space."
              : 'No. The browser may delete your chats when the disk is full. Sent messages come back from the server; unsent ones would be lost.',
          },
        ]}
      />
      {!isPersisted && (
        <Button onClick={() => void navigator.storage?.persist?.().then(read)}>
          Protect my chats
        </Button>
      )}
      {loading.map((choice) => (
        <RadioChoice key={choice.legend} {...choice} />
      ))}
      <MediaStorage messenger={messenger} onCleared={read} />
    </div>
  )
}

function describeUsage({ messageBytes, fileBytes, quotaBytes }: Usage): string {
  const used = formatBytes(messageBytes + fileBytes)
  return quotaBytes === null ? used : `${used} of ${formatBytes(quotaBytes)}`
}

async function readStorage(): Promise<StorageState> {
  const { storage } = navigator
  const { usage, quota } = (await storage?.estimate?.()) ?? {}
  return {
    usedBytes: usage,
    freeBytes: quota === undefined ? undefined : quota - (usage ?? 0),
    isPersisted: (await storage?.persisted?.()) ?? false,
  }
}
