import {
  type CSSProperties,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { flushSync } from 'react-dom'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { isComposing } from '../../ui/forms/insert-text.ts'
import { useLiveValue } from '../../ui/hooks/use-live-value.ts'
import { createLongPress } from '../../ui/menus/long-press.ts'
import { joinClassNames } from '../../ui/styles/join-class-names.ts'
import type { EmojiCategoryId } from '../catalogue/emoji-categories.ts'
import type { EmojiData, EmojiEntry } from '../catalogue/emoji-data.ts'
import {
  changeEmojiSettings,
  type EmojiSettings,
  emojiSettings,
  type SkinTone,
  skinToneNames,
  skinTones,
} from '../catalogue/emoji-settings.ts'
import type { EmojiSheet } from '../catalogue/emoji-styles.ts'
import { findNativeSupport } from '../catalogue/find-native-version.ts'
import {
  type CanDraw,
  type EmojiSection,
  listSections,
  type OfferedEmoji,
  offer,
} from '../catalogue/list-sections.ts'
import { readRecentEmoji, recordRecentEmoji } from '../catalogue/recent-emoji.ts'
import { useSheet } from '../catalogue/use-sheet.ts'
import { EmojiGlyph } from './emoji-glyph.tsx'
import { EmojiGrid, type EmojiGridHandle } from './emoji-grid.tsx'
import styles from './emoji-picker.module.css'
import { layOutRows, stepThroughRows } from './lay-out-rows.ts'

/** The icon strokes of each category, on a 24 by 24 grid. */
const categoryPaths: Record<EmojiCategoryId, string> = {
  suggested: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM12 7.5V12l3 2',
  people:
    'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17ZM8.5 14.5s1.2 2 3.5 2 3.5-2 3.5-2M9 9.8v.01M15 9.8v.01',
  nature:
    'M12 12.5c-2.6 0-4.500 2.300-4.500 4.300 0 1.500 1.200 2.200 2.500 2.200.9 0 1.300-.3 2-.3s1.100.3 2 .3c1.300 0 2.500-.7 2.500-2.200 0-2-1.900-4.300-4.500-4.300ZM5.500 10.500v1M9.500 6v1.500M14.500 6v1.500M18.500 10.500v1',
  foods:
    'M12 8c-1.800-1.200-6.500-1.400-6.500 4 0 4 2.700 8 4.700 8 .8 0 1-.5 1.800-.5s1 .5 1.800.5c2 0 4.700-4 4.700-8 0-5.400-4.700-5.200-6.500-4ZM12 8c0-2 1-4 3-4.500',
  places:
    'M6 16.500h12M5 16.500v-4l1.700-5A1.500 1.500 0 0 1 8.100 6.500h7.800a1.500 1.500 0 0 1 1.400 1L19 12.500v4M6.500 16.500v2M17.500 16.500v2M5 12.500h14M8 14.500v.01M16 14.500v.01',
  activity:
    'M12 3.500a8.500 8.500 0 1 0 0 17 8.500 8.500 0 0 0 0-17ZM12 9l3 2.200-1.100 3.500h-3.800L9 11.200 12 9ZM12 9V5.500M15 11.200l3.500-1.200M13.900 14.700l2.100 3M10.100 14.700l-2.100 3M9 11.200 5.500 10',
  objects:
    'M9.500 18h5M10 20.500h4M9.500 18c0-2.500-3-3.500-3-7a5.500 5.500 0 0 1 11 0c0 3.500-3 4.500-3 7',
  symbols:
    'M12 19.500 5 12.800a4.200 4.200 0 0 1 0-6 4.200 4.200 0 0 1 6 0l1 1 1-1a4.200 4.200 0 0 1 6 6l-7 6.700Z',
  flags: 'M6 20.500v-16M6 5c4-2 7 2 12 0v8.500c-5 2-8-2-12 0',
}

/** A sheet with one corner that comes off. */
const stickerPath =
  'M13.500 20H8a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4h8a4 4 0 0 1 4 4v5.500M13.500 20c0-4 2.500-6.500 6.500-6.500M13.500 20l6.500-6.500M9 9.500v.01M15 9.500v.01M9 13.500c.700.900 1.600 1.300 2.700 1.300'

/** A country's flag is two regional indicator letters. */
const countryFlag = /^1f1(?:e[6-9a-f]|f[0-9a-f])-/

/** px: the smallest touch target. */
const smallestCell = 44

const fewestColumns = 4

export interface EmojiPickerProps {
  data: EmojiData
  /** In the place of a phone's keyboard: one line of controls, and six rows of emoji beneath. */
  isCompact?: boolean
  /** px; by default it fills its container. */
  width?: number
  height?: number
  /** `auto` follows the app's theme. */
  theme?: 'auto' | 'dark' | 'light'
  /** Does the search take the focus on mount? */
  takesFocus: boolean
  /** Shows the stickers in its place; absent where there are none. */
  onStickers?: (() => void) | undefined
  /** Called with the emoji's characters. */
  onPick(native: string): void
  onClose(): void
}

interface OpenVariants {
  offered: OfferedEmoji
  place: { left: number; top: number }
}

const gridId = 'emoji-grid'

const [variantsWidth, variantsHeight] = [6 * 44 + 10, 44 + 10]

/** Search, categories, all emoji, and a preview with the skin tones. */
export function EmojiPicker(props: EmojiPickerProps) {
  const { data, isCompact = false, width, height, theme = 'auto', takesFocus } = props
  const { onPick, onClose } = props
  const settings = useLiveValue(emojiSettings)
  const sheet = useSheet(settings.style)
  const [typed, setTyped] = useState('')
  const { sections, isSearch } = useSections(data, settings, typed)
  const grid = useRef<EmojiGridHandle>(null)
  const field = useRef<HTMLInputElement>(null)
  const root = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<number>()
  const [pointed, setPointed] = useState<number>()
  const [variants, setVariants] = useState<OpenVariants>()
  const [inSight, setInSight] = useState<EmojiSection['id']>()
  const offered = useMemo(() => sections.flatMap((section) => section.offered), [sections])
  const { rows, columns, measure } = useGridRows(sections, isCompact)
  /** A compact one shows its search in the categories' place, once asked for. */
  const [isSearchOpen, setIsSearchOpen] = useState(!isCompact)
  const [press] = useState(createLongPress)
  useEffect(() => press.end, [press])
  useEffect(() => {
    if (takesFocus) field.current?.focus({ preventScroll: true })
  }, [takesFocus])

  const search = (words: string) => {
    setTyped(words)
    setActive(undefined)
    setPointed(undefined)
    setVariants(undefined)
    grid.current?.scrollTo(0)
  }
  // Enter picks the first result.
  const marked = active ?? (isSearch && offered.length > 0 ? 0 : undefined)
  const closeVariants = () => {
    if (variants && takesFocus) field.current?.focus({ preventScroll: true })
    setVariants(undefined)
  }
  const pick = ({ emoji, skin }: OfferedEmoji) => {
    const chosen = emoji.skins[skin] ?? emoji.skins[0]
    const plain = emoji.skins[0]
    if (!chosen || !plain) return
    recordRecentEmoji({ id: chosen.unified, original: plain.unified })
    closeVariants()
    onPick(chosen.native)
  }
  const openVariants = (place: number | undefined) => {
    const wanted = place === undefined ? undefined : offered[place]
    const cell = document.getElementById(`emoji-${place}`)
    if (!wanted || wanted.emoji.skins.length < 2 || !cell || !root.current) return
    setVariants({ offered: wanted, place: placeVariants(root.current, cell) })
  }
  const goTo = (id: EmojiSection['id']) => {
    const title = rows.find((row) => row.sectionId === id)
    setActive(undefined)
    grid.current?.scrollTo(title?.top ?? 0)
  }

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent) || variants) return
    const { key } = event
    if (key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      if (typed === '') onClose()
      else search('')
      return
    }
    if ((event.altKey && key === 'ArrowDown') || (event.shiftKey && key === 'Enter')) {
      event.preventDefault()
      openVariants(marked)
      return
    }
    const isInField = event.target === field.current
    if (!isInField && !(event.target as Element).closest('[role="listbox"]')) return
    const isArrow = ['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight'].includes(key)
    // While the person types and has not moved down yet, the arrow keys move in the text.
    const isForField = isInField && active === undefined && key !== 'ArrowDown'
    if (isArrow && !isForField) {
      event.preventDefault()
      const next = stepThroughRows(rows, active ?? (isSearch ? 0 : undefined), key)
      const isBack = key === 'ArrowUp' && next === active
      setActive(isBack ? undefined : next)
      setPointed(undefined)
      if (isBack) field.current?.focus()
    }
    const wanted = marked === undefined ? undefined : offered[marked]
    if (key === 'Enter' && wanted) {
      event.preventDefault()
      pick(wanted)
    }
  }

  const isNothing = isSearch && offered.length === 0
  const previewed = offered[pointed ?? marked ?? -1]
  return (
    <div
      ref={root}
      className={joinClassNames(styles.picker, isCompact && styles.isCompact)}
      role="dialog"
      aria-label="Emoji"
      data-theme={theme}
      style={
        {
          '--emoji-columns': columns,
          ...(width && { width }),
          ...(height && { height }),
        } as CSSProperties
      }
      onKeyDown={onKeyDown}
    >
      <search className={styles.search} hidden={!isSearchOpen}>
        <input
          ref={field}
          type="search"
          role="combobox"
          aria-expanded={!isNothing}
          aria-controls={isNothing ? undefined : gridId}
          aria-activedescendant={marked === undefined ? undefined : `emoji-${marked}`}
          aria-autocomplete="list"
          placeholder="Search"
          aria-label="Search emoji"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          enterKeyHint="done"
          value={typed}
          onChange={(event) => search(event.target.value)}
        />
        {isCompact && (
          <IconButton
            icon="close"
            label="End search"
            onClick={() => {
              search('')
              setIsSearchOpen(false)
            }}
          />
        )}
      </search>
      {!isSearch && !(isCompact && isSearchOpen) && (
        <div className={styles.tabs}>
          {isCompact && (
            <IconButton
              icon="search"
              label="Search emoji"
              onClick={() => {
                // The field can take the focus once it is shown.
                flushSync(() => setIsSearchOpen(true))
                field.current?.focus({ preventScroll: true })
              }}
            />
          )}
          {props.onStickers && (
            <button
              type="button"
              className={styles.toStickers}
              aria-label="Stickers"
              data-tooltip="Stickers"
              onClick={props.onStickers}
            >
              <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
                <path d={stickerPath} />
              </svg>
            </button>
          )}
          <CategoryTabs sections={sections} now={inSight} onChoose={goTo} />
        </div>
      )}
      {isNothing ? (
        <p className={styles.nothing} role="status">
          No results found
        </p>
      ) : (
        <EmojiGrid
          ref={grid}
          id={gridId}
          rows={rows}
          marked={marked}
          sheet={sheet}
          onMeasure={measure}
          onInSight={setInSight}
          onPoint={setPointed}
          onPick={(place) => {
            const wanted = offered[place]
            if (wanted) pick(wanted)
          }}
          press={press}
          onVariants={openVariants}
        />
      )}
      {variants && (
        <VariantPicker {...variants} sheet={sheet} onPick={pick} onClose={closeVariants} />
      )}
      {!(isCompact && isSearchOpen) && (
        <PickerFoot
          previewed={previewed}
          sheet={sheet}
          hand={data.get('hand')}
          skinTone={settings.skinTone}
          onSkinTone={(skinTone) => changeEmojiSettings({ skinTone })}
        />
      )}
    </div>
  )
}

/** The place above the emoji, or below it without room; within the picker. px from its corner. */
function placeVariants(root: Element, cell: Element) {
  const [whole, own] = [root.getBoundingClientRect(), cell.getBoundingClientRect()]
  const above = own.top - whole.top - variantsHeight
  const centred = own.left + own.width / 2 - whole.left - variantsWidth / 2
  return {
    left: Math.max(4, Math.min(centred, whole.width - variantsWidth - 4)),
    top: above < 4 ? own.bottom - whole.top : above,
  }
}

/** The rows of emoji for the current width. */
function useGridRows(sections: readonly EmojiSection[], isCompact: boolean) {
  const [width, setWidth] = useState(0)
  const measure = useCallback((px: number) => setWidth(Math.floor(px)), [])
  const columns = Math.max(Math.floor(width / smallestCell), fewestColumns)
  const sizes = useMemo(
    () =>
      isCompact
        ? { columns, cell: smallestCell, titleHeight: 26 }
        : { columns, cell: Math.floor(width / columns) },
    [width, columns, isCompact],
  )
  const rows = useMemo(
    () => (width === 0 ? [] : layOutRows(sections, sizes)),
    [sections, width, sizes],
  )
  return { rows, columns, measure }
}

/** The picker's sections: all, or the search results. */
function useSections(
  data: EmojiData,
  { style, skinTone, suggestedMode }: EmojiSettings,
  typed: string,
): { sections: readonly EmojiSection[]; isSearch: boolean } {
  // Read once per opening: picking does not move the other emoji meanwhile.
  const [recent] = useState(() => readRecentEmoji(suggestedMode))
  const canDraw = useMemo(() => (style === 'native' ? canDeviceDraw() : () => true), [style])
  const all = useMemo(
    () => listSections(data, { recent, suggestedMode, skinTone, canDraw }),
    [data, recent, suggestedMode, skinTone, canDraw],
  )
  const [found, setFound] = useState<readonly EmojiEntry[]>()
  useEffect(() => {
    let isWanted = true
    void searchEmoji(data, typed).then((emojis) => isWanted && setFound(emojis))
    return () => {
      isWanted = false
    }
  }, [data, typed])
  const drawn = useMemo((): EmojiSection[] | undefined => {
    const emojis = found?.filter((emoji) => canDraw(emoji))
    if (!emojis) return undefined
    const offered = offer(emojis, skinTone)
    return offered.length > 0 ? [{ id: 'found', name: 'Search Results', offered }] : []
  }, [found, skinTone, canDraw])
  return { sections: drawn ?? all, isSearch: drawn !== undefined }
}

function canDeviceDraw(): CanDraw {
  const { newestVersion, hasCountryFlags } = findNativeSupport()
  return ({ version, skins }) =>
    version <= newestVersion && (hasCountryFlags || !countryFlag.test(skins[0]?.unified ?? ''))
}

interface CategoryTabsProps {
  /** Empty during a search. */
  sections: readonly EmojiSection[]
  now: EmojiSection['id'] | undefined
  onChoose(id: EmojiCategoryId): void
}

/** Tabs that scroll to each category. */
function CategoryTabs({ sections, now, onChoose }: CategoryTabsProps) {
  return (
    <nav className={styles.categories} aria-label="Emoji categories">
      {sections.map(({ id, name }) =>
        id === 'found' ? null : (
          <button
            key={id}
            type="button"
            className={styles.tab}
            aria-label={name}
            data-tooltip={name}
            aria-current={id === (now ?? sections[0]?.id)}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(id)}
          >
            <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
              <path d={categoryPaths[id]} />
            </svg>
          </button>
        ),
      )}
    </nav>
  )
}

interface VariantPickerProps {
  offered: OfferedEmoji
  /** Its position in the picker, px. */
  place: { left: number; top: number }
  sheet: EmojiSheet | undefined
  onPick(offered: OfferedEmoji): void
  onClose(): void
}

/** The skin tones of one emoji: at most six. */
function VariantPicker({ offered, place, sheet, onPick, onClose }: VariantPickerProps) {
  const { emoji, skin } = offered
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelectorAll('button')[skin]?.focus()
  }, [skin])
  return (
    <>
      {/* A press outside closes it, and does nothing else. */}
      <div className={styles.variantsScrim} aria-hidden="true" onPointerDown={onClose} />
      <div
        ref={list}
        className={styles.variants}
        style={place}
        role="toolbar"
        aria-label={`Skin tones of ${emoji.name}`}
        onKeyDown={(event) => {
          event.stopPropagation()
          const buttons = [...(list.current?.querySelectorAll('button') ?? [])]
          const now = buttons.indexOf(document.activeElement as HTMLButtonElement)
          const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0
          if (step !== 0) buttons[(now + step + buttons.length) % buttons.length]?.focus()
          if (event.key !== 'Escape') return
          event.preventDefault()
          onClose()
        }}
      >
        {emoji.skins.slice(0, skinToneNames.length).map(({ unified }, tone) => (
          <button
            key={unified}
            type="button"
            className={styles.cell}
            aria-label={`${emoji.name}, ${skinToneNames[tone]}`}
            tabIndex={tone === skin ? 0 : -1}
            onClick={() => onPick({ emoji, skin: tone })}
          >
            <EmojiGlyph emoji={emoji} skin={tone} sheet={sheet} />
          </button>
        ))}
      </div>
    </>
  )
}

interface PickerFootProps {
  /** The emoji under the pointer or the keyboard. */
  previewed: OfferedEmoji | undefined
  sheet: EmojiSheet | undefined
  /** The emoji that shows the skin tones. */
  hand: EmojiEntry | undefined
  skinTone: SkinTone
  onSkinTone(tone: SkinTone): void
}

/** The preview, and the skin tones. */
function PickerFoot({ previewed, sheet, hand, skinTone, onSkinTone }: PickerFootProps) {
  const [isChoosing, setIsChoosing] = useState(false)
  return (
    <div className={styles.foot}>
      {isChoosing && hand ? (
        <fieldset className={styles.tones}>
          <legend className={styles.tonesLegend}>Choose default skin tone</legend>
          {skinTones.map((tone) => (
            <label key={tone} className={styles.tone}>
              <input
                type="radio"
                name="skin-tone"
                aria-label={skinToneNames[tone]}
                checked={tone === skinTone}
                onChange={() => onSkinTone(tone)}
              />
              <EmojiGlyph emoji={hand} skin={tone} sheet={sheet} />
            </label>
          ))}
        </fieldset>
      ) : (
        <p className={styles.preview}>
          {previewed ? (
            <>
              <span className={styles.previewGlyph}>
                <EmojiGlyph {...previewed} sheet={sheet} />
              </span>
              <span className={styles.previewWords}>
                <span>{previewed.emoji.name}</span>
                <small>:{previewed.emoji.id}:</small>
              </span>
            </>
          ) : (
            "What's your mood?"
          )}
        </p>
      )}
      {hand && (
        <button
          type="button"
          className={styles.toneButton}
          aria-label="Skin tone"
          aria-expanded={isChoosing}
          data-tooltip="Skin tone"
          onClick={() => setIsChoosing(!isChoosing)}
        >
          <EmojiGlyph emoji={hand} skin={skinTone} sheet={sheet} />
        </button>
      )}
    </div>
  )
}

/**
 * The picker's search results; undefined for a query that is too short. Source: decision 61,
 * section 5.
 */
export async function searchEmoji(
  data: Pick<EmojiData, 'search'>,
  typed: string,
): Promise<readonly EmojiEntry[] | undefined> {
  const words = typed.trim().toLowerCase()
  return [...words].length <= 1 ? undefined : await data.search(words)
}
