import { type ComponentProps, useCallback, useRef, useState } from 'react'
import { Virtualizer } from 'virtua'
import type { ConversationRow, Messenger } from '../sync/messenger-types.ts'
import { LazyConfirmDialog } from '../ui/dialogs/lazy-confirm-dialog.tsx'
import { useAttempt } from '../ui/dialogs/use-attempt.tsx'
import { useArrowKeys } from '../ui/hooks/use-arrow-keys.ts'
import { useToday } from '../ui/hooks/use-today.ts'
import { LazyActionMenu } from '../ui/menus/lazy-action-menu.tsx'
import type { MenuPoint } from '../ui/menus/menu-action.ts'
import { MuteMenu } from '../ui/menus/mute-menu.tsx'
import styles from './chat-list-panel.module.css'
import { ConversationRowItem } from './conversation-row.tsx'
import { listConversationActions } from './list-conversation-actions.ts'

interface ConversationListProps {
  rows: readonly ConversationRow[]
  messenger: Messenger
  selectedPeerId: string | undefined
  linkState: unknown
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
}: ConversationListProps) {
  const today = useToday()
  const [menu, setMenu] = useState<OpenMenu>()
  const [muted, setMuted] = useState<OpenMenu>()
  const [asked, setAsked] = useState<ConversationRow>()
  const { attempt, failure } = useAttempt()
  const openMenu = useCallback(
    (row: ConversationRow, point: MenuPoint) => setMenu({ row, point }),
    [],
  )
  const scroller = useRef<HTMLDivElement>(null)
  useArrowKeys(scroller, 'a')

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
          />
        )}
      </Virtualizer>
      {menu && (
        <LazyActionMenu
          label={`Actions for ${menu.row.peer?.username ?? 'Unknown'}`}
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
      )}
      {asked && (
        <LazyConfirmDialog
          title="Are you sure you want to delete this conversation?"
          text="Messages will be removed from your devices. The other person keeps their copy."
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
