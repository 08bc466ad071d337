import { useMemo } from 'react'
import { isAccepted, type MessageDocument } from '../../schema/message.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import type { MenuPoint } from '../ui/menus/menu-action.ts'
import type { WriteMode } from './composer/composer-tools.ts'
import type { MessageHandlers } from './message/draw-message.ts'

interface HandlerOptions {
  messenger: Messenger
  setMode(mode: WriteMode): void
  replyInPrivate(message: MessageDocument): void
  copy(text: string): void
  /** Reports unobtrusively what failed. */
  say(words: string): void
  toggleSelected(message: MessageDocument): void
  forward(messages: readonly MessageDocument[]): void
  showInformation(message: MessageDocument): void
  /** Asks whether they are deleted for everyone. */
  askDeletion(messages: readonly MessageDocument[]): void
  chooseReaction(message: MessageDocument, point: MenuPoint): void
  showMessage(messageId: string): Promise<boolean>
  showPerson(userId: string): void
  /** Like `showMessage`, and focuses the message. */
  goToMessage(messageId: string): Promise<void>
}

/**
 * The actions on a message. The object stays the same, so that it never causes a bubble to
 * rerender.
 */
export function useMessageHandlers(options: HandlerOptions): MessageHandlers {
  const latest = useLatest(options)
  return useMemo(() => {
    const commands = () => latest.current.messenger.commands
    const change = (stored: Promise<void>, failure: string) =>
      void stored.catch(() => latest.current.say(`${failure}. Please try again.`))
    return {
      reply: (message) => latest.current.setMode({ kind: 'reply', message }),
      replyInPrivate: (message) => latest.current.replyInPrivate(message),
      copy: (text) => latest.current.copy(text),
      forward: (message) => latest.current.forward([message]),
      toggleSelected: (message) => latest.current.toggleSelected(message),
      edit: (message) => latest.current.setMode({ kind: 'edit', message, text: message.content }),
      editAgain: (message, text) => latest.current.setMode({ kind: 'edit', message, text }),
      setStarred: (message, isStarred) =>
        change(commands().setStarred(message._id, isStarred), 'Failed to star message'),
      toggleReaction(message, emoji) {
        const { userId } = latest.current.messenger
        const isChosen = message.reactions?.[userId]?.emoji === emoji
        change(
          commands().setReaction(message._id, isChosen ? '' : emoji),
          'Failed to react to message',
        )
      },
      chooseReaction: (message, point) => latest.current.chooseReaction(message, point),
      showInformation: (message) => latest.current.showInformation(message),
      remove: (message) =>
        isAccepted(message)
          ? latest.current.askDeletion([message])
          : change(
              latest.current.messenger.undo.removeMessage(message),
              'Failed to delete message',
            ),
      hide: (message) =>
        change(
          latest.current.messenger.undo.hideMessages([message]).then(refuseFailed),
          'Failed to delete message',
        ),
      retry: (message) => change(commands().retryMessage(message._id), 'Failed to send message'),
      discard: (message) =>
        change(latest.current.messenger.undo.removeMessage(message), 'Failed to delete message'),
      dismissRefusal: (message) =>
        change(commands().dismissRefusal(message._id), "Couldn't dismiss"),
      goToMessage: (messageId) => void latest.current.goToMessage(messageId),
      showMessage: (messageId) => void latest.current.showMessage(messageId),
      showPerson: (userId) => latest.current.showPerson(userId),
    }
  }, [latest])
}

function refuseFailed(failed: readonly MessageDocument[]): void {
  if (failed.length > 0) throw new Error('not stored')
}
