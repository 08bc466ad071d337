import { Item, RadioGroup, RadioItem } from 'radix-ui/dropdown-menu'
import type { KeyboardEvent } from 'react'
import { Icon } from '../icons/icon.tsx'
import styles from './action-menu.module.css'
import type { RestingMouse } from './ignore-resting-mouse.ts'
import type { MenuChoice } from './menu-action.ts'

interface MenuChoiceRowProps {
  choice: MenuChoice
  mouse: RestingMouse
  beforeSelect(): void
}

/**
 * A row above a menu's actions: the left and right arrow keys move in it, the down arrow leaves it.
 */
export function MenuChoiceRow({ choice, mouse, beforeSelect }: MenuChoiceRowProps) {
  const { label, options, value, onChoose, more } = choice
  const select = (act: () => void) => () => {
    beforeSelect()
    act()
  }
  return (
    <RadioGroup className={styles.choice} aria-label={label} value={value ?? ''}>
      {options.map((option) => (
        <RadioItem
          key={option.value}
          {...mouse}
          className={styles.option}
          value={option.value}
          aria-label={option.name}
          data-choice=""
          onKeyDown={moveInRow}
          onSelect={select(() => onChoose(option.value))}
        >
          {option.value}
        </RadioItem>
      ))}
      <Item
        {...mouse}
        className={styles.option}
        aria-label={more.name}
        data-choice=""
        onKeyDown={moveInRow}
        onSelect={select(more.onSelect)}
      >
        <Icon name="attach" size={20} />
      </Item>
    </RadioGroup>
  )
}

function moveInRow(event: KeyboardEvent<HTMLElement>) {
  const menu = event.currentTarget.closest('[role="menu"]')
  const row = [...(menu?.querySelectorAll<HTMLElement>('[data-choice]') ?? [])]
  const now = row.indexOf(event.currentTarget)
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
  const below = menu?.querySelector<HTMLElement>('[role="menuitem"]:not([data-choice])')
  const target = event.key === 'ArrowDown' ? below : step && row[now + step]
  if (!target) return
  // Radix would move to the next item in DOM order.
  event.preventDefault()
  target.focus()
}
