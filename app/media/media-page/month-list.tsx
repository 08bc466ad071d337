import { Content } from 'radix-ui/tabs'
import {
  type CSSProperties,
  type ReactElement,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { MessageDocument } from '../../../schema/message.ts'
import type { Messenger } from '../../sync/messenger-types.ts'
import { type MessageKind, messageKinds } from '../loading/message-kinds.ts'
import { useSifted } from '../loading/use-sifted.ts'
import { buildMonthRows } from './build-month-rows.ts'
import styles from './media-page.module.css'

const widestPx = 150

const fewest = 3

interface MonthListProps {
  messenger: Messenger
  peerId: string
  kind: MessageKind
  /** The text if there are none. */
  none: string
  draw(message: MessageDocument): ReactElement
}

/** Enough pictures to fill a large screen. */
const enough = 60
const loadAheadPx = 1_000

/**
 * The panel of a tab: matching messages of a chat, newest first, by month; renders only visible
 * ones.
 */
export function MonthList({ messenger, peerId, kind, none, draw }: MonthListProps) {
  const { view, window } = useSifted(messenger, {
    peerId,
    isWanted: messageKinds[kind],
    enough,
  })
  const scroller = useRef<HTMLDivElement>(null)
  const list = useRef<VirtualizerHandle>(null)
  const wide = useColumns(scroller)
  const columns = kind === 'media' ? wide : 1
  const items = window?.items
  const rows = useMemo(
    () => buildMonthRows(items?.toReversed() ?? [], { columns }),
    [items, columns],
  )
  const isReading = window === undefined || window.isReading
  const hasOlder = Boolean(window?.hasOlder)

  function look() {
    const handle = list.current
    if (!handle || !hasOlder) return
    const { scrollOffset, scrollSize, viewportSize } = handle
    if (scrollSize - scrollOffset - viewportSize < loadAheadPx) void view?.loadOlder()
  }
  // The results so far may not fill the screen.
  useEffect(() => {
    if (!isReading && rows.length > 0) look()
  })

  return (
    <Content ref={scroller} className={styles.scroller} value={kind}>
      <Virtualizer ref={list} scrollRef={scroller} data={rows} onScroll={look}>
        {(row) =>
          row.kind === 'month' ? (
            <h3 key={row.key} className={styles.month}>
              {row.label}
            </h3>
          ) : (
            <div
              key={row.key}
              className={kind === 'media' ? styles.tiles : styles.line}
              style={{ '--columns': columns } as CSSProperties}
            >
              {row.messages.map(draw)}
            </div>
          )
        }
      </Virtualizer>
      <p className={styles.state} role="status">
        {describe({ isEmpty: rows.length === 0, isReading, none })}
      </p>
    </Content>
  )
}

function describe(state: { isEmpty: boolean; isReading: boolean; none: string }): string {
  if (state.isReading) return 'Looking through the chat…'
  return state.isEmpty ? state.none : ''
}

/** The number of pictures per row for an element's current width. */
function useColumns(element: RefObject<HTMLElement | null>): number {
  const [columns, setColumns] = useState(fewest)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const measure = () => setColumns(Math.max(fewest, Math.round(current.clientWidth / widestPx)))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return columns
}
