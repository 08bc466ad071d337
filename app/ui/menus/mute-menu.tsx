import { LazyActionMenu } from './lazy-action-menu.tsx'
import type { MenuAction, MenuPoint } from './menu-action.ts'

const hourMs = 60 * 60 * 1000

const choices = [
  { label: '8 hours', icon: 'clock', forMs: 8 * hourMs },
  { label: 'A week', icon: 'calendar', forMs: 7 * 24 * hourMs },
  { label: 'Always', icon: 'mute', forMs: undefined },
] as const

interface MuteMenuProps {
  point: MenuPoint
  /** The time from which the choices count, epoch ms. */
  now: number
  /** Called with the end, epoch ms; undefined for none. */
  onMute(until: number | undefined): void
  onClose(): void
}

/** For how long a chat is muted. */
export function MuteMenu({ point, now, onMute, onClose }: MuteMenuProps) {
  const actions: MenuAction[] = choices.map(({ label, icon, forMs }) => ({
    label,
    icon,
    onSelect: () => onMute(forMs === undefined ? undefined : now + forMs),
  }))
  return <LazyActionMenu label="Mute for" point={point} actions={actions} onClose={onClose} />
}
