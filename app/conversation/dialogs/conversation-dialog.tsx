import { Suspense } from 'react'
import { unreachable } from '../../../schema/helpers/unreachable.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { LazyAlertDialog } from '../../ui/dialogs/lazy-alert-dialog.tsx'
import { LazyConfirmDialog } from '../../ui/dialogs/lazy-confirm-dialog.tsx'
import { LazyActionMenu } from '../../ui/menus/lazy-action-menu.tsx'
import type { MenuChoice, MenuPoint } from '../../ui/menus/menu-action.ts'
import { namedQuickReactions } from '../../ui/text/quick-reaction-names.ts'
import { canReact } from '../message/can-react.ts'
import type { MessageHandlers } from '../message/draw-message.ts'
import type { DrawReactionBar } from '../message/draw-reaction-bar.ts'
import { listMessageActions } from '../message/list-message-actions.ts'
import { useLiveMessage } from '../message/use-live-message.ts'
import type { Selection } from '../message/use-selection.ts'
import { LazyDateDialog, LazyForwardDialog, LazyMessageInformationDialog } from './lazy-parts.tsx'
import type { OpenDialog } from './open-dialog.ts'
import { useDeletion } from './use-deletion.ts'

interface ConversationDialogProps {
  messenger: Messenger
  dialog: OpenDialog
  selection: Selection
  actions: MessageHandlers
  drawReactionBar: DrawReactionBar
  /** When the server accepted the oldest loaded message, epoch ms. */
  oldestTime: number
  /** Called with the recipients of the forwarded messages. */
  onForwarded(peerIds: readonly string[]): void
  onDate(time: number): void
  onDialog(dialog: OpenDialog): void
  onClose(): void
}

/** The open menu or dialog. */
export function ConversationDialog(props: ConversationDialogProps) {
  return (
    <Suspense fallback={null}>
      <DialogBody {...props} />
    </Suspense>
  )
}

function DialogBody(props: ConversationDialogProps) {
  const { messenger, dialog, onClose } = props
  const remove = useDeletion(props)
  switch (dialog.kind) {
    case 'menu':
      return <MessageMenu {...props} message={dialog.message} point={dialog.point} />
    case 'react':
      return <ReactionChoice {...props} dialog={dialog} />
    case 'forward':
      return (
        <LazyForwardDialog
          messenger={messenger}
          messages={dialog.messages}
          onForwarded={(peerIds) => {
            onClose()
            props.onForwarded(peerIds)
          }}
          onClose={onClose}
        />
      )
    case 'information':
      return (
        <LazyMessageInformationDialog
          messenger={messenger}
          message={dialog.message}
          onClose={onClose}
        />
      )
    case 'date':
      return (
        <LazyDateDialog initialTime={props.oldestTime} onChoose={props.onDate} onClose={onClose} />
      )
    case 'delete':
      return (
        <LazyConfirmDialog
          title={`Delete ${dialog.messages.length} messages?`}
          text={
            dialog.messages.some(({ isWhatsApp }) => isWhatsApp)
              ? "They'll be removed from your devices. On WhatsApp the other person keeps them."
              : "They'll be deleted for everyone. This can't be undone."
          }
          confirmLabel="Delete"
          isDanger
          onConfirm={() => void remove(dialog.messages)}
          onClose={onClose}
        />
      )
    case 'delete-failed':
      return (
        <LazyAlertDialog
          text="Failed to delete some messages. Please try again."
          onClose={onClose}
        />
      )
    default:
      return unreachable(dialog)
  }
}

interface MessageMenuProps extends ConversationDialogProps {
  message: MessageDocument
  point: MenuPoint
}

function MessageMenu(props: MessageMenuProps) {
  const { messenger, message, point, actions, onClose } = props
  const live = useLiveMessage(messenger, message)
  const choice: MenuChoice = {
    label: 'React',
    options: namedQuickReactions.map(({ emoji, name }) => ({ value: emoji, name })),
    value: live.reactions?.[messenger.userId]?.emoji,
    onChoose: (emoji) => actions.toggleReaction(live, emoji),
    more: {
      name: 'More reactions',
      onSelect: () => props.onDialog({ kind: 'react', message, point, isExpanded: true }),
    },
  }
  return (
    <LazyActionMenu
      label="Message actions"
      point={point}
      actions={listMessageActions({
        message: live,
        isOwn: live.senderId === messenger.userId,
        on: actions,
      })}
      choice={canReact(live) ? choice : undefined}
      onClose={onClose}
    />
  )
}

interface ReactionChoiceProps extends ConversationDialogProps {
  dialog: Extract<OpenDialog, { kind: 'react' }>
}

function ReactionChoice(props: ReactionChoiceProps) {
  const { messenger, dialog, actions, onClose } = props
  const live = useLiveMessage(messenger, dialog.message)
  return props.drawReactionBar({
    point: dialog.point,
    chosen: live.reactions?.[messenger.userId]?.emoji || undefined,
    isExpanded: dialog.isExpanded,
    onChoose(emoji) {
      onClose()
      actions.toggleReaction(live, emoji)
    },
    onClose,
  })
}
