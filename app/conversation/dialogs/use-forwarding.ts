import { useRef, useState } from 'react'
import { wordsOf } from '../../../schema/helpers/words-of.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import { listForwardable, pickFile } from '../../database/commands/forwarding.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { useLiveMessages } from '../message/use-live-messages.ts'

interface ForwardingOptions {
  messenger: Messenger
  messages: readonly MessageDocument[]
  onForwarded(peerIds: readonly string[]): void
}

/**
 * Sends the texts and files to one person after the other. After a failure a retry sends only the
 * missing ones.
 */
export function useForwarding({ messenger, messages, onForwarded }: ForwardingOptions) {
  const forwardable = listForwardable(useLiveMessages(messenger, messages))
  const [isBusy, setIsBusy] = useState(false)
  const [error, setError] = useState<string>()
  const { commands } = messenger
  const isRunning = useRef(false)
  const sent = useRef(new Set<string>())

  async function sendTo(peerId: string) {
    for (const message of forwardable) {
      const key = `${peerId} ${message._id}`
      if (sent.current.has(key)) continue
      const { content } = message
      await commands.sendMessage({
        peerId,
        content,
        keepsDraft: true,
        forwarded: pickFile(message),
      })
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
      setError(wordsOf(cause, 'Failed to send message'))
      isRunning.current = false
      setIsBusy(false)
    }
  }

  const count = forwardable.length
  return { forward, count, isReady: !isBusy && count > 0, error }
}
