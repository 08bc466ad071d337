import { useState } from 'react'
import type { ConversationRow, Messenger } from '../sync/messenger-types.ts'
import { formatMutedUntil } from '../ui/format/format-muted-until.ts'
import { useToday } from '../ui/hooks/use-today.ts'
import type { MenuPoint } from '../ui/menus/menu-action.ts'
import { MuteMenu } from '../ui/menus/mute-menu.tsx'
import { PanelRow } from './panel-row.tsx'

interface MuteRowProps {
  messenger: Messenger
  row: ConversationRow
  attempt(work: Promise<unknown>, words: string): void
}

/** Mutes the chat for a time of choice, or ends that. */
export function MuteRow({ messenger, row, attempt }: MuteRowProps) {
  const { peerId, isMuted, mutedUntil } = row
  const today = useToday()
  const [point, setPoint] = useState<MenuPoint>()
  const set = (...change: [isMuted: boolean, until?: number]) =>
    attempt(messenger.commands.setMuted(peerId, ...change), 'Failed to change chat')
  return (
    <PanelRow
      icon={isMuted ? 'unmute' : 'mute'}
      label={isMuted ? 'Unmute' : 'Mute'}
      note={isMuted ? formatMutedUntil(mutedUntil, today) : undefined}
      hasMenu={!isMuted}
      onClick={(event) => {
        if (isMuted) return set(false)
        const box = event.currentTarget.getBoundingClientRect()
        setPoint({ x: box.left + 16, y: box.bottom })
      }}
    >
      {point && (
        <MuteMenu
          point={point}
          now={messenger.now()}
          onMute={(until) => set(true, until)}
          onClose={() => setPoint(undefined)}
        />
      )}
    </PanelRow>
  )
}
