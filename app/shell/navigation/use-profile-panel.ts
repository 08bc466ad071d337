import { useLocation } from 'react-router-dom'
import { useMediaQuery } from '../../ui/hooks/use-media-query.ts'
import { narrowScreen } from '../screen/narrow-screen.ts'
import { readNavigationState } from './read-chat-place.ts'
import { useWayUp } from './use-way-up.tsx'

const panelKey = 'panel'

/**
 * The profile in the place of the list: a state of the history, so that Back closes it. Beside an
 * open conversation where both fit, else over the list alone.
 */
export function useProfilePanel() {
  const { pathname, state } = useLocation()
  const isNarrow = useMediaQuery(narrowScreen)
  const goUp = useWayUp()
  const isChat = pathname === '/chat' || pathname.startsWith('/chat/')
  const staysHere = isChat && !isNarrow
  const kept: unknown = staysHere ? state : undefined
  const rest = typeof kept === 'object' ? { ...kept } : {}
  return {
    isOpen: readNavigationState(state, panelKey) === 'profile',
    path: staysHere ? pathname : '/chat',
    state: { ...rest, [panelKey]: 'profile' },
    close: () => goUp({ to: pathname, state: { ...rest, [panelKey]: undefined } }),
  }
}
