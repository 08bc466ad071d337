import { createContext, type ReactNode, use, useCallback, useLayoutEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { useLatest } from '../../ui/hooks/use-latest.ts'

interface WayUp {
  /** Where it leads if the page before is none of those that fit. */
  to: string
  state?: unknown
  /** Is a page one that it may lead to? Without it, only `to` is. */
  fits?(path: string): boolean
}

type GoUp = (way: WayUp) => void

const WayUpContext = createContext<GoUp>(() => {})

/**
 * The way up from a page, such as from a chat to its list. Where that is the page before, it goes back like the
 * browser's own button; else it takes this page's place: going there and back does not pile up in the history.
 */
export function useWayUp(): GoUp {
  return use(WayUpContext)
}

/** Remembers which pages were visited, as far as this document has seen them. */
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

/** The place in the history that the router has written into it. */
function readIndex(): number {
  const state: unknown = history.state
  const index: unknown = typeof state === 'object' && state && Reflect.get(state, 'idx')
  return typeof index === 'number' ? index : 0
}
