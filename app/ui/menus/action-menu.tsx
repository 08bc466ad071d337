import {
  Content,
  Item,
  Portal,
  RadioGroup,
  RadioItem,
  Root,
  Separator,
  Trigger,
} from 'radix-ui/dropdown-menu'
import { Fragment, type KeyboardEvent, type PointerEvent, useState } from 'react'
import { useMediaQuery } from '../hooks/use-media-query.ts'
import { Icon } from '../icons/icon.tsx'
import { findFocusPath, focusFirst, returnFocus } from '../layers/find-focus-path.ts'
import { useBackLayer } from '../layers/use-back-layer.ts'
import { joinClassNames } from '../styles/join-class-names.ts'
import styles from './action-menu.module.css'
import type { MenuAction, MenuChoice, MenuPoint } from './menu-action.ts'

export interface ActionMenuProps {
  /** The menu's name for screen readers. */
  label: string
  point: MenuPoint
  actions: readonly MenuAction[]
  choice?: MenuChoice | undefined
  /** On a phone it comes from below, with a tile for each action. */
  isSheet?: boolean
  /** Called on close, with or without a choice. */
  onClose(): void
}

/** A menu at a point; takes the focus and returns it on close. */
export function ActionMenu(props: ActionMenuProps) {
  const { label, point, actions, choice, onClose } = props
  const isPhone = useMediaQuery('(max-width: 767px)')
  const isSheet = isPhone && (props.isSheet ?? false)
  const [returnTo] = useState(findFocusPath)
  const [mouse] = useState(ignoreRestingMouse)
  useBackLayer(true, onClose)
  return (
    // Not modal: a modal menu locks scrolling with a <style> element, which the content policy forbids.
    <Root open modal={false} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Trigger asChild>
        <span
          className={styles.anchor}
          style={isSheet ? { left: 0, bottom: 0 } : { left: point.x, top: point.y }}
          aria-hidden="true"
        />
      </Trigger>
      {isSheet && (
        <Portal>
          {/* A press outside closes it, and does nothing else. */}
          <div className={styles.scrim} />
        </Portal>
      )}
      <Portal>
        <Content
          className={joinClassNames(styles.menu, isSheet && styles.sheet)}
          aria-label={label}
          align="start"
          {...(isSheet
            ? { side: 'top', sideOffset: 0, collisionPadding: 0 }
            : { side: point.side ?? 'bottom', sideOffset: 4, collisionPadding: 8 })}
          // Stays visible even if the window becomes too small for the point.
          sticky="always"
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            returnFocus(returnTo)
          }}
        >
          {choice && (
            <MenuChoiceRow
              choice={choice}
              mouse={mouse}
              beforeSelect={() => focusFirst(returnTo)}
            />
          )}
          {actions.map((action) => (
            <Fragment key={action.label}>
              {action.startsSection && <Separator className={styles.line} />}
              <Item
                {...mouse}
                className={joinClassNames(styles.item, action.isDanger && styles.danger)}
                onSelect={() => {
                  // Before the chosen action opens something: that will return the focus to the
                  // element focused now.
                  focusFirst(returnTo)
                  action.onSelect()
                }}
              >
                <Icon name={action.icon} size={20} />
                {action.label}
              </Item>
            </Fragment>
          ))}
        </Content>
      </Portal>
    </Root>
  )
}

interface MenuChoiceRowProps {
  choice: MenuChoice
  mouse: RestingMouse
  beforeSelect(): void
}

/**
 * A row above a menu's actions: the left and right arrow keys move in it, the down arrow leaves it.
 */
function MenuChoiceRow({ choice, mouse, beforeSelect }: MenuChoiceRowProps) {
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

interface RestingMouse {
  onPointerMove(event: PointerEvent): void
  onPointerLeave(event: PointerEvent): void
}

/**
 * For all items of one menu. When an item moves, the browser reports that a resting mouse has left
 * it, and Radix then takes the focus from the item that the keyboard reached. Only a mouse that
 * really moved may change the focus.
 */
function ignoreRestingMouse(): RestingMouse {
  let last: { x: number; y: number } | undefined
  return {
    onPointerMove({ clientX: x, clientY: y }) {
      last = { x, y }
    },
    onPointerLeave(event) {
      const hasMoved = last && Math.hypot(event.clientX - last.x, event.clientY - last.y) >= 1
      // Radix does nothing then.
      if (!hasMoved) event.preventDefault()
    },
  }
}
