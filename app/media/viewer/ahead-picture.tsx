import { useEffect } from 'react'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useFile } from '../loading/use-file.ts'

interface AheadPictureProps {
  messenger: Messenger
  message: MessageDocument
  /** @returns a function that releases the bytes */
  onReady(messageId: string, bytes: Blob): () => void
}

/** A neighbour of the shown picture: prefetched if pictures load automatically, and not drawn. */
export function AheadPicture({ messenger, message, onReady }: AheadPictureProps) {
  const { view } = useFile({ messenger, message, isAutomatic: true })
  const bytes = view.kind === 'here' ? view.bytes : undefined
  const { _id } = message
  useEffect(() => (bytes ? onReady(_id, bytes) : undefined), [_id, bytes, onReady])
  return null
}
