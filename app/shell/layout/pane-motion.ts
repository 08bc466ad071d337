import {
  type AnimationEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import styles from './pane-motion.module.css'

/** A chat that is not drawn by then moves in all the same, and draws itself there. */
const drawnWithinMs = 200

const leaveMs = 240
const easing = 'cubic-bezier(0.2, 0.8, 0.3, 1)'

interface LeftPane {
  nodes: readonly Node[]
  scrolled: readonly (readonly [Element, number])[]
}

export interface PaneMotion {
  pane: RefObject<HTMLElement | null>
  /** An empty layer over the list: what leaves moves out there. */
  leaving: RefObject<HTMLDivElement | null>
  /** The classes of the pane, of the layer, and of the list while the pane moves over it. */
  classNames: { pane: string | undefined; leaving: string | undefined; beneath: string | undefined }
  /** `waiting`: beside the screen, until it is drawn; `moving`: in. The list lies beneath for both. */
  phase: 'still' | 'waiting' | 'moving'
  onDrawn(): void
  /** To be called before the pane's content goes. */
  onLeave(): void
  onAnimationEnd(event: AnimationEvent): void
}

/**
 * On a narrow screen the pane moves in over the list, and out again. React removes at once what was left: its
 * elements themselves move out, of which nothing is alive any more.
 */
export function usePaneMotion({
  isShown,
  isNarrow,
}: {
  isShown: boolean
  isNarrow: boolean
}): PaneMotion {
  const pane = useRef<HTMLElement>(null)
  const leaving = useRef<HTMLDivElement>(null)
  const left = useRef<LeftPane>(undefined)
  const browserMoved = useBrowserMoved()
  const [phase, setPhase] = useState<PaneMotion['phase']>('still')
  const [wasShown, setWasShown] = useState(isShown)
  if (wasShown !== isShown) {
    setWasShown(isShown)
    setPhase(isShown && isNarrow && !isStill() ? 'waiting' : 'still')
  }

  useEffect(() => {
    if (phase !== 'waiting') return
    const timer = setTimeout(() => setPhase('moving'), drawnWithinMs)
    return () => clearTimeout(timer)
  }, [phase])

  useLayoutEffect(() => {
    const layer = leaving.current
    const gone = left.current
    left.current = undefined
    const hasMoved = browserMoved.current
    browserMoved.current = false
    if (hasMoved) setPhase('still')
    if (!layer || isShown || !gone || !isNarrow || hasMoved || isStill()) return
    layer.inert = true
    layer.replaceChildren(...gone.nodes)
    for (const [element, top] of gone.scrolled) element.scrollTop = top
    const way = { transform: ['none', 'translateX(100%)'] }
    const flight = layer.animate(way, { duration: leaveMs, easing })
    const empty = () => {
      layer.replaceChildren()
      layer.inert = false
    }
    flight.onfinish = empty
    return () => {
      flight.cancel()
      empty()
    }
  }, [isShown, isNarrow, browserMoved])

  return {
    pane,
    leaving,
    phase,
    classNames: {
      pane: isShown && phase !== 'still' ? styles[phase] : undefined,
      leaving: styles.leaving,
      beneath: styles.beneath,
    },
    onDrawn: () => setPhase((now) => (now === 'waiting' ? 'moving' : now)),
    onLeave() {
      if (!isNarrow || isStill()) return
      const nodes = [...(pane.current?.childNodes ?? [])]
      const elements = [...(pane.current?.querySelectorAll('*') ?? [])]
      const scrolled = elements
        .filter(({ scrollTop }) => scrollTop !== 0)
        .map((element) => [element, element.scrollTop] as const)
      left.current = { nodes, scrolled }
    },
    onAnimationEnd({ target, currentTarget }) {
      if (target === currentTarget) setPhase('still')
    },
  }
}

/** Draws nothing: its effects end before its neighbours' elements are removed. */
export function BeforeLeaving({ onLeave }: Pick<PaneMotion, 'onLeave'>) {
  const latest = useLatest(onLeave)
  useLayoutEffect(() => () => latest.current(), [latest])
  return null
}

/** Has the browser moved the page itself for what comes now, as for a swipe from the edge? */
function useBrowserMoved(): RefObject<boolean> {
  const moved = useRef(false)
  useEffect(() => {
    const note = ({ hasUAVisualTransition }: PopStateEvent) => {
      moved.current = hasUAVisualTransition
    }
    addEventListener('popstate', note, { capture: true })
    return () => removeEventListener('popstate', note, { capture: true })
  }, [])
  return moved
}

function isStill(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}
