import { useEffect, useState } from 'react'
import { wordsOf } from '../../../schema/helpers/text.ts'
import { freeReadyFiles } from '../../media/loading/ready-files.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useServices } from './services-context.ts'

type Opening =
  | { state: 'opening' }
  | { state: 'open'; messenger: Messenger }
  | { state: 'failed'; words: string }

/** Opens this person's messenger, and closes it on unmount. */
export function useOpenMessenger(userId: string): Opening {
  const { openMessenger } = useServices()
  const [opening, setOpening] = useState<Opening>({ state: 'opening' })
  useEffect(() => {
    const messenger = openMessenger(userId)
    const watch = { isOver: false }
    messenger.then(
      (messenger) => !watch.isOver && setOpening({ state: 'open', messenger }),
      (cause: unknown) => {
        const words = wordsOf(cause, "Couldn't open the data on this device.")
        if (!watch.isOver) setOpening({ state: 'failed', words })
      },
    )
    return () => {
      watch.isOver = true
      setOpening({ state: 'opening' })
      messenger
        .then((messenger) => {
          freeReadyFiles(messenger.files)
          return messenger.close()
        })
        .catch(() => {})
    }
  }, [openMessenger, userId])
  return opening
}
