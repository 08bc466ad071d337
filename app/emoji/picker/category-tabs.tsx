import type { EmojiCategoryId } from '../catalogue/emoji-categories.ts'
import type { EmojiSection } from '../catalogue/list-sections.ts'
import styles from './emoji-picker.module.css'

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

interface CategoryTabsProps {
  /** Empty during a search. */
  sections: readonly EmojiSection[]
  now: EmojiSection['id'] | undefined
  onChoose(id: EmojiCategoryId): void
}

/** Tabs that scroll to each category. */
export function CategoryTabs({ sections, now, onChoose }: CategoryTabsProps) {
  return (
    <nav className={styles.tabs} aria-label="Emoji categories">
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
