import { createContext, type ReactNode, use, useCallback, useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { useLatest } from '../../ui/hooks/use-latest.ts'

interface WayUp {
  /** The target if the previous page does not fit. */
  to: string
  state?: unknown
  /** Is a page a valid target? Without this function, only `to` is. */
  fits?(path: string): boolean
}

type GoUp = (way: WayUp) => void

const WayUpContext = createContext<GoUp>(() => {})

/**
 * Navigates up from a page, such as from a chat to its list. If the previous page is the target,
 * goes back like the browser's button; else replaces this page, so that history entries do not pile
 * up.
 */
export function useWayUp(): GoUp {
  return use(WayUpContext)
}

/** Remembers the visited pages, as far as this document has seen them. */
export function WayUpProvider({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  const navigate = useLatest(useNavigate())
  const paths = useRef<string[]>([])
  useLayoutEffect(() => {
    paths.current[readIndex()] = pathname
  })
  const goUp = useCallback<GoUp>(
    ({ to, state, fits = (path) => path === to }) => {
      const before = paths.current[readIndex() - 1]
      if (before !== undefined && fits(before)) void navigate.current(-1)
      else void navigate.current(to, { replace: true, state })
    },
    [navigate],
  )
  return <WayUpContext value={goUp}>{children}</WayUpContext>
}

/** The history index that the router stores in the history state. */
function readIndex(): number {
  const state: unknown = history.state
  const index: unknown = typeof state === 'object' && state && Reflect.get(state, 'idx')
  return typeof index === 'number' ? index : 0
}
