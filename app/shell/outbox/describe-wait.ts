import { unreachable } from '../../../schema/helpers/unreachable.ts'
import { isUploadOwed } from '../../../schema/message.ts'
import type { UploadState } from '../../sync/files/uploads.ts'
import type { Connection } from '../../sync/messenger-types.ts'
import type { OutboxItem } from '../../sync/outbox/outbox-types.ts'
import { productName } from '../../ui/product.ts'

/** Every reason why something waits. */
export type WaitReason =
  | { kind: 'signed-out' }
  | { kind: 'offline' }
  | { kind: 'outdated' }
  | { kind: 'refused-on-the-way'; status: number }
  | { kind: 'uploading'; share: number | undefined }
  | { kind: 'told'; words: string }
  | { kind: 'behind-file' }
  | { kind: 'no-server' }
  | { kind: 'sending' }

/** Why an item waits, the most decisive reason first. */
export function findWaitReason(of: {
  item: OutboxItem
  connection: Pick<Connection, 'state' | 'words'>
  upload: UploadState | undefined
  /** The status with which its push keeps being refused. */
  refusedStatus: number | undefined
  /** The server's own reason, if it is the server that refuses it. */
  refusedWords?: string | undefined
}): WaitReason {
  const { item, connection, upload, refusedStatus, refusedWords } = of
  const { state } = connection
  if (state === 'signed-out' || state === 'offline' || state === 'outdated') return { kind: state }
  if (refusedWords !== undefined) return { kind: 'told', words: refusedWords }
  if (refusedStatus !== undefined) return { kind: 'refused-on-the-way', status: refusedStatus }
  if (item.kind === 'message' && isUploadOwed(item.message)) {
    if (upload?.kind === 'uploading') return { kind: 'uploading', share: upload.share }
    if (upload?.words !== undefined) return { kind: 'told', words: upload.words }
  }
  if (item.kind === 'message' && item.isBehindFile) return { kind: 'behind-file' }
  if (item.kind === 'request' && item.entry.problem) {
    return { kind: 'told', words: item.entry.problem.words }
  }
  if (state === 'trouble' && connection.words !== undefined) {
    return { kind: 'told', words: connection.words }
  }
  return state === 'connecting' || state === 'trouble' ? { kind: 'no-server' } : { kind: 'sending' }
}

export function describeWait(reason: WaitReason): string {
  switch (reason.kind) {
    case 'signed-out':
      return 'Sends after you sign in again.'
    case 'offline':
      return "Sends when you're back online."
    case 'outdated':
      return `Sends when you've updated ${productName}.`
    case 'refused-on-the-way':
      return `Your network didn't let it through (answer ${reason.status}).`
    case 'uploading':
      return reason.share === undefined
        ? 'Uploading the file…'
        : `Uploading the file… ${Math.floor(reason.share * 100)} %`
    case 'told':
      return reason.words
    case 'behind-file':
      return 'Sends after the file before it.'
    case 'no-server':
      return "Can't reach the server."
    case 'sending':
      return 'Sending…'
    default:
      return unreachable(reason)
  }
}

/** When this device tries again by itself. `ms`: how long it waits still. */
export function describeNextTry(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000))
  if (seconds < 90) return `Next try in ${seconds} second${seconds === 1 ? '' : 's'}.`
  return `Next try in ${Math.round(seconds / 60)} minutes.`
}
