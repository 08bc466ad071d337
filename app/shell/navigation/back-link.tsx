import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { useWayUp } from './use-way-up.tsx'

/** Links to a fixed parent page. */
export function BackLink({ to, label }: { to: string; label: string }) {
  const goUp = useWayUp()
  return <IconButton icon="back" label={label} onClick={() => goUp({ to })} />
}
