import { useCallback } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'

/**
 * Changes parts of the state of the page's history entry. The list and the chat both do, and what was navigated is drawn
 * a moment later: what the last drawing knew would bring back what the other one has just removed, or a page just left.
 */
export function useChangeState(): (change: object) => void {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  return useCallback(
    (change: object) => {
      if (window.location.pathname !== pathname) return
      const state = { ...readEntryState(), ...change }
      void navigate(pathname, { replace: true, state })
    },
    [navigate, pathname],
  )
}

/** The state as the router stores it in the browser's. */
function readEntryState(): object {
  const stored: unknown = history.state
  const state: unknown = typeof stored === 'object' && stored && Reflect.get(stored, 'usr')
  return typeof state === 'object' && state ? state : {}
}
