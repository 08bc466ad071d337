import { useNavigate } from 'react-router-dom'
import { IconButton } from '../ui/icon-button.tsx'

/** Leads up, to a fixed place. */
export function BackLink({ to, label }: { to: string; label: string }) {
  const navigate = useNavigate()
  return <IconButton icon="back" label={label} onClick={() => void navigate(to)} />
}
