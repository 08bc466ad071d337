import {
  type ComponentProps,
  lazy,
  type ReactNode,
  Suspense,
  useCallback,
  useRef,
  useState,
} from 'react'
import { Virtualizer } from 'virtua'
import { nameOf } from '../database/storage/known-peer.ts'
import type { MessengerCommands } from '../sync/messenger-commands.ts'
import type { ConversationRow, Messenger } from '../sync/messenger-types.ts'
import { LazyConfirmDialog, useAttempt } from '../ui/dialogs/lazy-dialogs.tsx'
import { useArrowKeys } from '../ui/hooks/use-arrow-keys.ts'
import { useLatest } from '../ui/hooks/use-latest.ts'
import { useMovingRows } from '../ui/hooks/use-row-motion.ts'
import { useToday } from '../ui/hooks/use-today.ts'
import { LazyActionMenu } from '../ui/menus/lazy-action-menu.tsx'
import type { MenuAction, MenuPoint } from '../ui/menus/menu-action.ts'
import styles from './chat-list-panel.module.css'
import { ConversationRowItem } from './conversation-row.tsx'

const MuteMenu = lazy(() =>
  import('../ui/menus/mute-menu.tsx').then((module) => ({ default: module.MuteMenu })),
)

interface ConversationListProps {
  rows: readonly ConversationRow[]
  messenger: Messenger
  selectedPeerId: string | undefined
  linkState: unknown
  /** Shown beneath the rows. */
  end: ReactNode
}

interface OpenMenu {
  row: ConversationRow
  point: MenuPoint
}

/** The rows, rendered only where visible, with one shared menu. */
export function ConversationList({
  rows,
  messenger,
  selectedPeerId,
  linkState,
  end,
}: ConversationListProps) {
  const today = useToday()
  const [menu, setMenu] = useState<OpenMenu>()
  const [muted, setMuted] = useState<OpenMenu>()
  const [asked, setAsked] = useState<ConversationRow>()
  const { attempt, failure } = useAttempt()
  const latestAttempt = useLatest(attempt)
  const openMenu = useCallback(
    (row: ConversationRow, point: MenuPoint) => setMenu({ row, point }),
    [],
  )
  const onSwipe = useCallback(
    (work: Promise<unknown>) => latestAttempt.current(work, 'Failed to change chat'),
    [latestAttempt],
  )
  const scroller = useRef<HTMLDivElement>(null)
  useArrowKeys(scroller, 'a')
  useMovingRows(scroller, { selector: conversationRow, keys: rows.map(({ peerId }) => peerId) })

  return (
    <div className={styles.scroller} ref={scroller}>
      <Virtualizer as={ConversationUl} item="li" data={rows} itemSize={72}>
        {(row) => (
          <ConversationRowItem
            key={row.peerId}
            row={row}
            messenger={messenger}
            isSelected={row.peerId === selectedPeerId}
            isMenuOpen={row.peerId === menu?.row.peerId}
            today={today}
            linkState={linkState}
            onOpenMenu={openMenu}
            onSwipe={onSwipe}
          />
        )}
      </Virtualizer>
      {end}
      {menu && (
        <LazyActionMenu
          label={`Actions for ${nameOf(menu.row.peer)}`}
          point={menu.point}
          actions={listConversationActions({
            row: menu.row,
            commands: messenger.commands,
            undo: messenger.undo,
            attempt,
            askMute: () => setMuted(menu),
            askDelete: setAsked,
          })}
          onClose={() => setMenu(undefined)}
        />
      )}
      {muted && (
        <Suspense fallback={null}>
          <MuteMenu
            point={muted.point}
            now={messenger.now()}
            onMute={(until) =>
              attempt(
                messenger.commands.setMuted(muted.row.peerId, true, until),
                'Failed to change chat',
              )
            }
            onClose={() => setMuted(undefined)}
          />
        </Suspense>
      )}
      {asked && (
        <LazyConfirmDialog
          title="Are you sure you want to delete this conversation?"
          text={`Messages will be removed from your devices. ${asked.peer?.isGroup ? 'The other members keep theirs.' : 'The other person keeps their copy.'}`}
          confirmLabel="Delete"
          isDanger
          onConfirm={() =>
            attempt(messenger.undo.clearConversation(asked.peerId), 'Failed to delete chat')
          }
          onClose={() => setAsked(undefined)}
        />
      )}
      {failure}
    </div>
  )
}

/** Selects the rows. */
export const conversationRow = 'ul[aria-label="Conversations"] > li'

function ConversationUl(props: ComponentProps<'ul'>) {
  return <ul {...props} aria-label="Conversations" />
}

interface ConversationActionOptions {
  row: ConversationRow
  commands: MessengerCommands
  undo: Messenger['undo']
  /** Reports an action that the device could not store. */
  attempt(work: Promise<unknown>, words: string): void
  /** Asks for how long to mute the conversation. */
  askMute(row: ConversationRow): void
  /** Asks before clearing the conversation. */
  askDelete(row: ConversationRow): void
}

/** The menu of one conversation. Source: decision 61, section 2. */
function listConversationActions(options: ConversationActionOptions): MenuAction[] {
  const { row, commands, undo, attempt, askMute, askDelete } = options
  const { peerId, isPinned, isMuted, isArchived } = row
  const markRead: MenuAction = {
    label: 'Mark as Read',
    icon: 'check',
    onSelect: () => attempt(commands.markRead(peerId), 'Failed to mark chat as read'),
  }
  return [
    {
      label: isPinned ? 'Unpin' : 'Pin',
      icon: 'pin',
      onSelect: () => attempt(commands.setPinned(peerId, !isPinned), 'Failed to change chat'),
    },
    {
      label: isMuted ? 'Unmute' : 'Mute',
      icon: isMuted ? 'unmute' : 'mute',
      onSelect: () =>
        isMuted ? attempt(commands.setMuted(peerId, false), 'Failed to change chat') : askMute(row),
    },
    {
      label: isArchived ? 'Unarchive' : 'Archive',
      icon: 'archive',
      onSelect: () => attempt(undo.setArchived(peerId, !isArchived), 'Failed to change chat'),
    },
    ...(row.unreadCount > 0 ? [markRead] : []),
    {
      label: 'Delete',
      icon: 'trash',
      isDanger: true,
      startsSection: true,
      onSelect: () => askDelete(row),
    },
  ]
}
