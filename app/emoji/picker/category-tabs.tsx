import type { EmojiCategoryId } from '../catalogue/emoji-categories.ts'
import type { EmojiSection } from '../catalogue/list-sections.ts'
import { categoryPaths } from './category-paths.ts'
import styles from './emoji-picker.module.css'

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
