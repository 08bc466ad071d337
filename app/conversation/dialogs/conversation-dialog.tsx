import { Suspense, useEffect, useState } from 'react'
import { unreachable } from '../../../schema/helpers/assertions.ts'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { LazyAlertDialog } from '../../ui/dialogs/lazy-dialogs.tsx'
import { LazyActionMenu } from '../../ui/menus/lazy-action-menu.tsx'
import type { MenuChoice, MenuPoint } from '../../ui/menus/menu-action.ts'
import { namedQuickReactions } from '../../ui/text/quick-reaction-names.ts'
import type { MessageHandlers } from '../message/draw-message.ts'
import {
  canReact,
  type DrawReactionBar,
  listMessageActions,
} from '../message/list-message-actions.ts'
import { useLiveMessage } from '../message/use-live-messages.ts'
import type { Selection } from '../message/use-selection.ts'
import {
  LazyDateDialog,
  LazyDeleteDialog,
  LazyForwardDialog,
  LazyMessageInformationDialog,
} from './lazy-parts.tsx'
import type { OpenDialog } from './open-dialog.ts'
import { canDeleteForAll, useDeletion } from './use-deletion.ts'

interface ConversationDialogProps {
  messenger: Messenger
  dialog: OpenDialog
  selection: Selection
  /** Can this person change nothing for others here any more? */
  isOver: boolean
  isInGroup: boolean
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
  const { removeForMe, removeForAll } = useDeletion(props)
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
        <LazyDeleteDialog
          count={dialog.messages.length}
          canDeleteForAll={!props.isOver && canDeleteForAll(dialog.messages, messenger)}
          isWhatsApp={dialog.messages.some(({ isWhatsApp }) => isWhatsApp)}
          onForMe={() => void removeForMe(dialog.messages)}
          onForAll={() => void removeForAll(dialog.messages)}
          onClose={onClose}
        />
      )
    case 'delete-failed':
      return (
        <LazyAlertDialog
          text={`Failed to delete ${dialog.isSelected ? 'some messages' : 'message'}. Please try again.`}
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
  const place = useLifted(message._id) ?? point
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
      point={place}
      actions={listMessageActions({
        message: live,
        isOwn: live.senderId === messenger.userId,
        isOver: props.isOver,
        isInGroup: props.isInGroup,
        on: actions,
      })}
      choice={canReact(live) && !props.isOver ? choice : undefined}
      onClose={onClose}
    />
  )
}

/** Under a finger the menu stands beneath or above the message instead of on it. */
const besidePx = 8

/** Enough for the menu of a message of either person. */
const menuPx = 400

/**
 * Under a finger the message stands out while its menu is open: the others fade (conversation.module.css).
 * Returns where the menu opens; undefined for a mouse.
 */
function useLifted(messageId: string): MenuPoint | undefined {
  const [element] = useState(() => {
    const isTouched = matchMedia('(pointer: coarse)').matches
    return isTouched && document.querySelector<HTMLElement>(`[data-message-id="${messageId}"]`)
  })
  const [place] = useState(() => {
    if (!element) return undefined
    const { left, width, top, bottom } = element.getBoundingClientRect()
    const isRoomBeneath = innerHeight - bottom > menuPx
    const x = left + width / 4
    // Said, as a menu above would drop onto the message wherever it has room beneath that point.
    if (isRoomBeneath) return { x, y: bottom + besidePx, side: 'bottom' as const }
    return { x, y: top - besidePx, side: 'top' as const }
  })
  useEffect(() => {
    if (!element) return
    const list = element.closest<HTMLElement>('[role="log"]')
    element.dataset.lifted = ''
    // Beside `:has`, which every message that scrolls into sight would ask about the whole list.
    list?.setAttribute('data-lifts', '')
    return () => {
      delete element.dataset.lifted
      list?.removeAttribute('data-lifts')
    }
  }, [element])
  return place
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
