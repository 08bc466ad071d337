import { useState } from 'react'
import type { Messenger } from '../../sync/messenger-types.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { useAttempt } from '../../ui/dialogs/use-attempt.tsx'
import { useLivePart } from '../../ui/hooks/use-live-value.ts'
import { LazyActionMenu } from '../../ui/menus/lazy-action-menu.tsx'
import type { MenuAction, MenuPoint } from '../../ui/menus/menu-action.ts'
import { MuteMenu } from '../../ui/menus/mute-menu.tsx'
import styles from '../styles/conversation.module.css'

interface HeaderToolsProps {
  messenger: Messenger
  peerId: string
  onSearch(): void
  onOpenMedia(): void
  onGoToDate(): void
}

/** The buttons at the end of the header. Calls do not exist; their buttons say so. */
export function HeaderTools(props: HeaderToolsProps) {
  const { messenger, peerId, onSearch, onOpenMedia, onGoToDate } = props
  const [menuPoint, setMenuPoint] = useState<MenuPoint>()
  const [mutePoint, setMutePoint] = useState<MenuPoint>()
  const { attempt, failure } = useAttempt()
  const isMuted = useLivePart(messenger.conversations, (rows) =>
    Boolean(rows.find((row) => row.peerId === peerId)?.isMuted),
  )
  const setMuted = (...change: [isMuted: boolean, until?: number]) =>
    attempt(messenger.commands.setMuted(peerId, ...change), 'Failed to change chat')
  const actions: MenuAction[] = [
    { label: 'Search', icon: 'search', onSelect: onSearch },
    { label: 'Media, files and links', icon: 'picture', onSelect: onOpenMedia },
    { label: 'Go to date', icon: 'calendar', onSelect: onGoToDate },
    {
      label: isMuted ? 'Unmute' : 'Mute',
      icon: isMuted ? 'unmute' : 'mute',
      onSelect: () => (isMuted ? setMuted(false) : setMutePoint(menuPoint)),
    },
  ]
  return (
    <div className={styles.tools}>
      <IconButton
        className={styles.wide}
        icon="video"
        label="Video call: not available yet"
        aria-disabled
      />
      <IconButton
        className={styles.wide}
        icon="phone"
        label="Voice call: not available yet"
        aria-disabled
      />
      <IconButton icon="search" label="Search in chat (Ctrl+F)" onClick={onSearch} />
      <IconButton
        icon="more"
        label="More"
        aria-haspopup="menu"
        aria-expanded={menuPoint !== undefined}
        onClick={(event) => {
          const box = event.currentTarget.getBoundingClientRect()
          setMenuPoint({ x: box.left, y: box.bottom })
        }}
      />
      {menuPoint && (
        <LazyActionMenu
          label="Chat actions"
          point={menuPoint}
          actions={actions}
          onClose={() => setMenuPoint(undefined)}
        />
      )}
      {mutePoint && (
        <MuteMenu
          point={mutePoint}
          now={messenger.now()}
          onMute={(until) => setMuted(true, until)}
          onClose={() => setMutePoint(undefined)}
        />
      )}
      {failure}
    </div>
  )
}
