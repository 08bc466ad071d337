import { useRef, useState } from 'react'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { listWordedMessages } from '../message/list-worded-messages.ts'
import { useLiveMessages } from '../message/use-live-messages.ts'

interface ForwardingOptions {
  messenger: Messenger
  messages: readonly MessageDocument[]
  onForwarded(peerIds: readonly string[]): void
}

/**
 * Sends the texts to one person after the other. After a failure a retry sends only the missing
 * ones.
 */
export function useForwarding({ messenger, messages, onForwarded }: ForwardingOptions) {
  const worded = listWordedMessages(useLiveMessages(messenger, messages))
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string>()
  const { commands } = messenger
  const isRunning = useRef(false)
  const sent = useRef(new Set<string>())

  async function sendTo(peerId: string) {
    for (const { _id, content } of worded) {
      const key = `${peerId} ${_id}`
      if (sent.current.has(key)) continue
      await commands.sendMessage({ peerId, content, keepsDraft: true })
      sent.current.add(key)
    }
  }

  async function forward(peerIds: readonly string[]) {
    // The second click of a double click arrives before the next render.
    if (isRunning.current) return
    isRunning.current = true
    setIsBusy(true)
    setError(undefined)
    try {
      for (const peerId of peerIds) await sendTo(peerId)
      onForwarded(peerIds)
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : 'Failed to send message')
      isRunning.current = false
      setIsBusy(false)
    }
  }

  return { forward, count: worded.length, isReady: !isBusy && worded.length > 0, error }
}
