import {
  memo,
  type PointerEvent,
  type Ref,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import type { LongPress } from '../../ui/menus/long-press.ts'
import type { EmojiSheet } from '../catalogue/emoji-styles.ts'
import type { EmojiSection } from '../catalogue/list-sections.ts'
import { EmojiGlyph } from './emoji-glyph.tsx'
import styles from './emoji-picker.module.css'
import type { EmojiRow } from './lay-out-rows.ts'

export interface EmojiGridHandle {
  scrollTo(top: number): void
}

interface EmojiGridProps {
  ref: Ref<EmojiGridHandle>
  id: string
  rows: readonly EmojiRow[]
  /** The index of the emoji that Enter picks. */
  marked: number | undefined
  sheet: EmojiSheet | undefined
  press: LongPress
  onMeasure(width: number): void
  /** Called with the topmost visible section. */
  onInSight(id: EmojiSection['id']): void
  onPoint(place: number | undefined): void
  onPick(place: number): void
  onVariants(place: number): void
}

/** How far beyond the visible area to render, px. */
const marginPx = 240
const stepPx = 80

/** All emoji; renders only the visible ones. */
export function EmojiGrid(props: EmojiGridProps) {
  const { rows, marked, sheet, press, onMeasure, onInSight, onPoint } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 480 })
  const look = () => {
    const element = scroller.current
    if (!element) return
    const top = Math.floor(element.scrollTop / stepPx) * stepPx
    const height = element.clientHeight
    setView((now) => (now.top === top && now.height === height ? now : { top, height }))
    const above = rows.findLast((row) => row.top <= element.scrollTop + 1)
    if (above) onInSight(above.sectionId)
  }
  useImperativeHandle(props.ref, () => ({
    scrollTo(top) {
      scroller.current?.scrollTo({ top })
    },
  }))
  const latestLook = useLatest(look)
  const latestPick = useLatest(props.onPick)
  const pick = useCallback((place: number) => latestPick.current(place), [latestPick])
  useLayoutEffect(() => {
    const element = scroller.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      latestLook.current()
      const { paddingLeft, paddingRight } = getComputedStyle(element)
      onMeasure(
        element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight),
      )
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [onMeasure, latestLook])

  const markedRow = rows.find(
    ({ start, offered }) =>
      marked !== undefined && marked >= start && marked < start + offered.length,
  )
  useEffect(() => {
    const element = scroller.current
    if (!element || !markedRow) return
    const { top, height } = markedRow
    if (top < element.scrollTop) element.scrollTo({ top })
    const under = top + height - element.clientHeight
    if (under > element.scrollTop) element.scrollTo({ top: under })
  }, [markedRow])

  const last = rows.at(-1)
  const count = last ? last.start + last.offered.length : 0
  const [from, to] = [view.top - marginPx, view.top + view.height + stepPx + marginPx]
  const drawn = rows.filter(
    (row) => (row.top + row.height >= from && row.top <= to) || row === markedRow,
  )
  return (
    <div
      className={styles.scroller}
      ref={scroller}
      onScroll={() => {
        press.end()
        look()
      }}
    >
      <div
        id={props.id}
        className={styles.grid}
        role="listbox"
        aria-label="Emoji"
        style={{ height: last ? last.top + last.height : 0 }}
        onClickCapture={(event) => void press.swallow(event.nativeEvent)}
        onContextMenu={(event) => {
          const place = placeOf(event.target)
          if (place === undefined) return
          event.preventDefault()
          if (!press.meetContextMenu(event.nativeEvent)) props.onVariants(place)
        }}
        // A pressed button would take the focus, and so the arrow keys, from the search.
        onMouseDown={(event) => event.preventDefault()}
        onPointerDown={(event: PointerEvent) => {
          const place = placeOf(event.target)
          const { clientX, clientY } = event
          // A held mouse button acts like a long press.
          press.begin({ pointerType: 'touch', clientX, clientY }, () => {
            if (place !== undefined) props.onVariants(place)
          })
        }}
        onPointerMove={(event) => {
          press.move(event)
          // Not `pointerover`, which also fires when the emoji move beneath a resting mouse.
          if (event.pointerType === 'mouse') onPoint(placeOf(event.target))
        }}
        onPointerUp={press.end}
        onPointerCancel={press.end}
        onPointerLeave={() => onPoint(undefined)}
      >
        {drawn.map((row) => (
          <GridRow
            key={row.title ?? row.start}
            row={row}
            marked={row === markedRow ? marked : undefined}
            isFirst={marked === undefined && row.start === 0}
            count={count}
            sheet={sheet}
            onPick={pick}
          />
        ))}
      </div>
    </div>
  )
}

interface GridRowProps {
  row: EmojiRow
  /** The total number of emoji. */
  count: number
  marked: number | undefined
  /** Does Tab reach its first emoji? */
  isFirst: boolean
  sheet: EmojiSheet | undefined
  onPick(place: number): void
}

const GridRow = memo(function GridRow(props: GridRowProps) {
  const { row, count, marked, isFirst, sheet, onPick } = props
  const place = { transform: `translateY(${row.top}px)`, height: row.height }
  if (row.title !== undefined) {
    return (
      <div className={styles.title} style={place} aria-hidden="true">
        {row.title}
      </div>
    )
  }
  return (
    <div role="presentation" className={styles.row} style={place}>
      {row.offered.map(({ emoji, skin }, column) => {
        const at = row.start + column
        const isTabStop = at === marked || (isFirst && column === 0)
        return (
          <button
            key={emoji.skins[skin]?.unified ?? emoji.id}
            id={`emoji-${at}`}
            type="button"
            role="option"
            className={styles.cell}
            tabIndex={isTabStop ? 0 : -1}
            aria-label={emoji.name}
            aria-selected={at === marked}
            aria-posinset={at + 1}
            aria-setsize={count}
            data-place={at}
            onClick={() => onPick(at)}
          >
            <EmojiGlyph emoji={emoji} skin={skin} sheet={sheet} />
          </button>
        )
      })}
    </div>
  )
})

function placeOf(target: EventTarget): number | undefined {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[data-place]') : null
  return cell ? Number(cell.dataset.place) : undefined
}
