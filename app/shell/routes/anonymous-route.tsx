import { Navigate, Outlet, useLocation } from 'react-router-dom'
import { useSession } from '../session/use-session.ts'

/** Shows its pages to signed-out people; redirects signed-in ones to their target. */
export function AnonymousRoute() {
  const session = useSession()
  const location = useLocation()
  if (session)
    return <Navigate to={readReturnTo(location.state, session.user._id) ?? '/chat'} replace />
  return <Outlet />
}

function readReturnTo(state: unknown, userId: string): string | undefined {
  if (typeof state !== 'object' || state === null || !('returnTo' in state)) return undefined
  if ('userId' in state && state.userId !== undefined && state.userId !== userId) return undefined
  return typeof state.returnTo === 'string' ? state.returnTo : undefined
}
