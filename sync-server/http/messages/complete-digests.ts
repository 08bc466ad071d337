import type { Digests } from '../../messages/digests/digests.ts'
import type { OwnMessages } from './own-messages.ts'

/** Scans a person's data from versions without digests, once. */
export async function completeDigests(asked: {
  ownerId: string
  messages: OwnMessages
  digests: Digests
  signal?: AbortSignal
}): Promise<void> {
  const { ownerId, messages, digests, signal } = asked
  const { isComplete, setComplete, record } = digests.completeness
  if (await isComplete(ownerId)) return
  for await (const page of messages.walk(ownerId, signal)) await record(ownerId, page)
  await setComplete(ownerId)
}
